import type { OnceKey } from '../ledger/ledger.ts'
import { type CallRequest, copyBody } from './request.ts'
import { bytesToHex, keccak } from './signatures/bytes.ts'

const BLOCK = 1024 * 1024
const TIMEOUT_MS = 5000

/** Returns the call of a ledger entry: method and canonical URL, with a hash in place of the query. */
export function callOf(method: string, url: string, key: string): string {
  return `${method} ${hideQuery(url, key)}`
}

/** Returns the canonical URL `key` of a URL, with 16 hexadecimal digits in place of the query. */
export function hideQuery(url: string, key: string): string {
  const query = url.indexOf('?')
  return query < 0 ? key : `${key}?${bytesToHex(keccak(url.slice(query))).slice(2, 18)}`
}

/** Identifies a call among those to the same URL. Reads a copy of the body; `request` stays unread. */
export async function identifyCall(request: CallRequest, payer: string | null): Promise<OnceKey> {
  return { body: await hashBody(request), callKey: request.callKey, payer }
}

async function hashBody(request: CallRequest): Promise<string> {
  try {
    const copy = copyBody(request)
    if (!copy?.body) return copy === undefined ? differFromAll() : ''
    const forms = [copy, request].map((one) => MULTIPART.exec(one.headers.get('content-type') ?? ''))
    return await hashBlocks(copy.body.getReader(), (forms[0] ?? forms[1])?.[1])
  } catch {
    return differFromAll()
  }
}

// A short boundary is not random, but a caller's choice that may stand in the content too.
const MULTIPART = /^multipart\/.*boundary="?([^\s;"]{16,})/i

/** Identifies a body that cannot be read twice: its call equals no other. */
const differFromAll = () => toHex(crypto.getRandomValues(new Uint8Array(32)))

const toHex = (bytes: Uint8Array) => bytesToHex(bytes).slice(2)
const sha256 = async (text: string) =>
  toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))

/** Hashes a body of any size, block by block. Removes a boundary, which is random. */
async function hashBlocks(reader: ReadableStreamDefaultReader<Uint8Array>, boundary = ''): Promise<string> {
  // As text, in which each byte is one character.
  const decoder = new TextDecoder('latin1')
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    reader.cancel().catch(() => {})
  }, TIMEOUT_MS)
  let hashes = ''
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      // A boundary may begin in one chunk and end in the next.
      const end = Math.max(0, rest.length - boundary.length)
      const added = rest.slice(end) + decoder.decode(value)
      rest = rest.slice(0, end) + (boundary === '' ? added : added.replaceAll(boundary, ''))
      for (; rest.length > BLOCK + boundary.length; rest = rest.slice(BLOCK)) {
        hashes += await sha256(rest.slice(0, BLOCK))
      }
    }
  } finally {
    clearTimeout(timer)
  }
  return isLate ? differFromAll() : sha256(hashes + rest)
}
