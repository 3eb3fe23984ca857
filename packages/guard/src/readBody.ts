/** A body exceeded its size or time limit. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
}

/**
 * Reads a body as UTF-8 text.
 * @throws BodyTooLargeError after more than `maxBytes` bytes or after `timeoutMs`, unless `truncate` is set
 */
export async function readBody(
  response: Response,
  maxBytes: number,
  timeoutMs: number,
  { truncate = false, onTruncate = () => {} }: { truncate?: boolean; onTruncate?: () => void } = {},
): Promise<string> {
  if (response.body === null) return ''
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
  return new TextDecoder().decode(bytes)
}
