import { MapFormatError } from './mapError.ts'

// Keys are hashes, so the gaps between their sorted first words are geometric, which Golomb-Rice codes within 0.1 bit
// of the optimum. Each gap is its quotient by 2^bits in unary (ones, then a zero) and its remainder in `bits` bits.
export const MAX_HEAD = 0xffffffff

/** Returns the number of remainder bits for a number of entries: about the logarithm of the mean gap. */
export function riceBits(entries: number): number {
  return entries < 2 ? 31 : Math.min(31, Math.max(0, 31 - Math.floor(Math.log2(entries))))
}

/**
 * Decodes ascending 32-bit numbers.
 * @throws MapFormatError if they do not fill the bytes, or exceed 32 bits
 */
export function readRiceHeads(bytes: Uint8Array, entries: number): Uint32Array {
  const bits = riceBits(entries)
  const heads = new Uint32Array(entries)
  const scale = 2 ** bits
  const end = bytes.length * 8
  let at = 0
  let head = 0
  for (let index = 0; index < entries; index++) {
    let quotient = 0
    for (;;) {
      if (at >= end) throw new MapFormatError('keys')
      // The bits that are left of this byte, moved to the top of a word.
      const ones = Math.clz32(~((bytes[at >>> 3] ?? 0) << (24 + (at & 7))))
      const left = 8 - (at & 7)
      if (ones < left) {
        quotient += ones
        at += ones + 1
        break
      }
      quotient += left
      at += left
    }
    let rest = 0
    for (let wanted = bits; wanted > 0; ) {
      const left = 8 - (at & 7)
      const taken = Math.min(left, wanted)
      const chunk = ((bytes[at >>> 3] ?? 0) >>> (left - taken)) & ((1 << taken) - 1)
      rest = rest * (1 << taken) + chunk
      at += taken
      wanted -= taken
    }
    if (at > end) throw new MapFormatError('keys')
    head += quotient * scale + rest
    if (head > MAX_HEAD) throw new MapFormatError('keys')
    heads[index] = head
  }
  if (Math.ceil(at / 8) !== bytes.length) throw new MapFormatError('keys')
  return heads
}
