/** A body that is being read. */
export type BodyCollector = {
  /** Takes the next bytes; says whether the limit still holds, and keeps nothing of what would break it. */
  add(chunk: Uint8Array): boolean
  /** What was taken so far. */
  read(): Buffer
}

const FIRST_BYTES = 4 * 1024

/**
 * Collects a body in one buffer that grows with it. Chunks are copied and let go: a seller who sends single bytes would
 * otherwise have us keep an object, and what it was cut from, for each.
 */
export function createBodyCollector(maxBytes: number): BodyCollector {
  let kept = Buffer.alloc(0)
  let size = 0
  return {
    add(chunk) {
      const wanted = size + chunk.length
      if (wanted > maxBytes) return false
      if (wanted > kept.length) {
        const larger = Buffer.alloc(Math.min(maxBytes, Math.max(wanted, 2 * kept.length, FIRST_BYTES)))
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
