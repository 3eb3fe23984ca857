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
 * @throws BodyTooLargeError after more than `maxBytes` bytes or after `timeoutMs`, unless `truncate` is set
 */
export async function readBytes(
  response: Pick<Response, 'body'>,
  maxBytes: number,
  timeoutMs: number,
  { truncate = false, onTruncate = () => {} }: { truncate?: boolean; onTruncate?: () => void } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  if (response.body === null) return new Uint8Array()
  const reader = response.body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BodyTooLargeError(`no end within ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late])
      if (done) break
      const room = maxBytes - length
      chunks.push(value.subarray(0, room))
      length += Math.min(value.byteLength, room)
      if (value.byteLength > room) throw new BodyTooLargeError(`more than ${maxBytes} bytes`)
    }
  } catch (error) {
    // Not awaited: a source that hangs may hang its cancellation too.
    reader.cancel().catch(() => {})
    if (!truncate || !(error instanceof BodyTooLargeError)) throw error
    onTruncate()
  } finally {
    clearTimeout(timer)
  }
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}
