import { MAX_VARINT_BYTES } from '../byteReader.ts'

/** Collects numbers and bytes. */
export type ByteWriter = {
  byte(value: number): void
  /** @param value below 2^32 */
  varint(value: number): void
  put(bytes: Uint8Array): void
  /** Number of bytes so far. */
  length(): number
  /** Returns a copy of what was written. */
  bytes(): Uint8Array<ArrayBuffer>
  /** Forgets what was written, to be used again. */
  clear(): void
}

/** Creates a writer. @param capacity bytes to reserve; it grows beyond */
export function createByteWriter(capacity = 256): ByteWriter {
  let buffer = new Uint8Array(Math.max(16, capacity))
  let at = 0
  const reserve = (more: number) => {
    if (at + more <= buffer.length) return
    const grown = new Uint8Array(Math.max(at + more, 2 * buffer.length))
    grown.set(buffer.subarray(0, at))
    buffer = grown
  }
  return {
    byte(value) {
      reserve(1)
      buffer[at++] = value
    },
    varint(value) {
      reserve(MAX_VARINT_BYTES)
      let rest = value
      while (rest >= 0x80) {
        buffer[at++] = (rest % 0x80) | 0x80
        rest = Math.floor(rest / 0x80)
      }
      buffer[at++] = rest
    },
    put(bytes) {
      reserve(bytes.length)
      buffer.set(bytes, at)
      at += bytes.length
    },
    length: () => at,
    bytes: () => buffer.slice(0, at),
    clear() {
      at = 0
    },
  }
}
