/** An HTTP message whose body is read once. */
type Message = { readonly body: ReadableStream<Uint8Array> | null }

/** Reads a body as text. Returns null, and cancels the body, above a number of bytes. */
export async function readBounded(message: Message, maxBytes: number): Promise<string | null> {
  return (await readBoundedBytes(message, maxBytes))?.toString() ?? null
}

/** Reads a body. Returns null, and cancels it, above a number of bytes. */
export async function readBoundedBytes({ body }: Message, maxBytes: number): Promise<Buffer | null> {
  const collected = createBodyCollector(maxBytes)
  const reader = body?.getReader()
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    if (collected.add(part.value)) continue
    await reader?.cancel()
    return null
  }
  return collected.read()
}

/** Collects the chunks of a body up to a limit. */
export type BodyCollector = {
  /** Adds a chunk. Returns false, and adds nothing, if the limit would be exceeded. */
  add(chunk: Uint8Array): boolean
  /** Returns the bytes so far. */
  read(): Buffer
}

const INITIAL_BYTES = 4 * 1024

/**
 * Creates a collector that copies chunks into one growing buffer. Keeping the chunks would let a seller that sends
 * single bytes make us hold one object and its parent buffer per byte.
 */
export function createBodyCollector(maxBytes: number): BodyCollector {
  let kept = Buffer.alloc(0)
  let size = 0
  return {
    add(chunk) {
      const wanted = size + chunk.length
      if (wanted > maxBytes) return false
      if (wanted > kept.length) {
        const larger = Buffer.alloc(Math.min(maxBytes, Math.max(wanted, 2 * kept.length, INITIAL_BYTES)))
        kept.copy(larger, 0, 0, size)
        kept = larger
      }
      kept.set(chunk, size)
      size = wanted
      return true
    },
    read: () => kept.subarray(0, size),
  }
}
