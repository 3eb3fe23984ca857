import type { IncomingMessage } from 'node:http'

/** What the head of a call says that a ready answer depends on. */
export type RequestHead = {
  /** Whether a body is announced. */
  hasBody: boolean
  acceptEncoding: string | undefined
  ifNoneMatch: string | undefined
  forwardedFor: string | undefined
}

/**
 * Reads these from the headers as they came: Node makes an object of all of them when it is asked for one, which is a
 * good part of what an answer from memory costs.
 */
export function readHead(request: Pick<IncomingMessage, 'rawHeaders' | 'headers'>): RequestHead {
  const { rawHeaders } = request
  const head: RequestHead = {
    hasBody: false,
    acceptEncoding: undefined,
    ifNoneMatch: undefined,
    forwardedFor: undefined,
  }
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    // Most names are told apart by their lengths.
    if (name.length < 13 || name.length > 17) continue
    const known = NAMES.get(name.toLowerCase())
    if (known === undefined) continue
    if (known === 'hasBody') head.hasBody = true
    // How a header that came twice is joined is for Node to say.
    else if (head[known] !== undefined) return readJoined(request)
    else head[known] = rawHeaders[at + 1]
  }
  return head
}

const NAMES = new Map<string, keyof RequestHead>([
  ['content-length', 'hasBody'],
  ['transfer-encoding', 'hasBody'],
  ['accept-encoding', 'acceptEncoding'],
  ['if-none-match', 'ifNoneMatch'],
  ['x-forwarded-for', 'forwardedFor'],
])

function readJoined({ headers }: Pick<IncomingMessage, 'headers'>): RequestHead {
  const forwardedFor = headers['x-forwarded-for']
  return {
    hasBody: headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined,
    acceptEncoding: headers['accept-encoding'],
    ifNoneMatch: headers['if-none-match'],
    forwardedFor: forwardedFor === undefined ? undefined : String(forwardedFor),
  }
}
