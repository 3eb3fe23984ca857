/** Set in a looked-up pair that is not two hex digits. */
const INVALID = 0x8000

const digit = (code: number): number => {
  if (code >= 48 && code <= 57) return code - 48
  const lower = code | 0x20
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}

/** Value of an ASCII hex digit; -1 of anything else. */
export const DIGITS: Int8Array = Int8Array.from({ length: 256 }, (_, code) => digit(code))

/** Byte value of two ASCII hex digits, indexed by the little-endian number that the two make: one look-up for both. */
const PAIRS: Uint16Array = Uint16Array.from({ length: 65_536 }, (_, pair) => {
  const high = digit(pair & 0xff)
  const low = digit(pair >> 8)
  return high < 0 || low < 0 ? INVALID : (high << 4) | low
})

/** Something in the bytes is not as expected; the caller decodes the slow way. */
export class UnexpectedBytes extends Error {
  override readonly name = 'UnexpectedBytes'
}

/** The one that is thrown: it says nothing more, and a stack costs as much as decoding ten logs. */
export const UNEXPECTED = new UnexpectedBytes()

/**
 * Reads eight hex digits as one signed 32-bit word: the engine keeps those out of the heap, unlike larger numbers.
 *
 * @throws UnexpectedBytes
 */
export const readWord = (view: DataView, at: number): number => {
  const b0 = PAIRS[view.getUint16(at, true)] as number
  const b1 = PAIRS[view.getUint16(at + 2, true)] as number
  const b2 = PAIRS[view.getUint16(at + 4, true)] as number
  const b3 = PAIRS[view.getUint16(at + 6, true)] as number
  if ((b0 | b1 | b2 | b3) & INVALID) throw UNEXPECTED
  return (b0 << 24) | (b1 << 16) | (b2 << 8) | b3
}

/** Eight ASCII zeros, as the double that their bytes make. */
export const EIGHT_ZEROS = new DataView(new TextEncoder().encode('00000000').buffer).getFloat64(0, true)

/** The double that eight ASCII characters make: comparing it compares all eight at once, for text is never NaN. */
export const octetOf = (text: string): number =>
  new DataView(new TextEncoder().encode(text).buffer).getFloat64(0, true)

/** The 32-bit number that four ASCII characters make. */
export const quadOf = (text: string): number =>
  new DataView(new TextEncoder().encode(text).buffer).getUint32(0, true)

/** Reads the hex digits up to a quote, at most eight; -1 when they are none. */
export const readQuantity = (bytes: Uint8Array, at: number): number => {
  let value = 0
  for (let next = at; next <= at + 8; next++) {
    const code = bytes[next] as number
    if (code === 0x22) return next === at ? -1 : value
    const value4 = DIGITS[code] as number
    // Outside the bytes there is no digit: NaN and undefined end here too.
    if (!(value4 >= 0)) return -1
    value = value * 16 + value4
  }
  return -1
}
