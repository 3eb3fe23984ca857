/**
 * Reads chunks as UTF-8 text; undefined, and the source is cancelled, above a number of bytes. It copies them into one
 * buffer: kept, chunks of single bytes would each hold an object.
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
