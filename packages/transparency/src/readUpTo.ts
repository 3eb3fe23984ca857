/**
 * Reads chunks as UTF-8 text. Returns undefined and cancels the source above `maxBytes`. Copies chunks into one buffer,
 * because a list of one-byte chunks would hold an object for each.
 */
export async function readUpTo(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<string | undefined> {
  const bytes = new Uint8Array(maxBytes)
  let size = 0
  for await (const chunk of chunks) {
    if (size + chunk.length > maxBytes) return undefined
    bytes.set(chunk, size)
    size += chunk.length
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, size))
}
