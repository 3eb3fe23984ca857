/** A body exceeded its size or time limit. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
}

/**
 * Reads a body as UTF-8 text; see {@link readBytes}.
 * @throws BodyTooLargeError
 */
export async function readBody(...args: Parameters<typeof readBytes>): Promise<string> {
  return new TextDecoder().decode(await readBytes(...args))
}

/**
 * Reads a body.
 * @param chunks receives the chunks read, also if a limit is exceeded
 * @throws BodyTooLargeError after more than `maxBytes` bytes or after `timeoutMs`
 */
export async function readBytes(
  response: Pick<Response, 'body'>,
  maxBytes: number,
  timeoutMs: number,
  chunks: Uint8Array[] = [],
): Promise<Uint8Array<ArrayBuffer>> {
  if (response.body === null) return new Uint8Array()
  const reader = response.body.getReader()
  let room = maxBytes
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BodyTooLargeError(`no end within ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late])
      if (done) return join(chunks)
      chunks.push(value.subarray(0, room))
      if (value.byteLength > room) throw new BodyTooLargeError(`more than ${maxBytes} bytes`)
      room -= value.byteLength
    }
  } catch (error) {
    // Not awaited: a source that hangs may hang its cancellation too.
    reader.cancel().catch(() => {})
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the reason phrase of a server as a Response takes it. */
export const toPhrase = (statusText: string): string => statusText.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')

/**
 * Creates a response equal to another one but for its body, and its status and headers if given. A `fetch` takes reason
 * phrases of servers that no Response takes.
 */
export function withBody(
  { status, statusText, headers, url }: Response,
  body: BodyInit | null,
  change: Pick<ResponseInit, 'status' | 'headers'> = {},
): Response {
  const response = new Response(body, { status, statusText: toPhrase(statusText), headers, ...change })
  // Libraries read the URL of a response.
  return Object.defineProperty(response, 'url', { value: url })
}

function join(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.byteLength, 0))
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}
