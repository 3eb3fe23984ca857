/** Bit that marks a pair of characters as not two hex digits. */
const INVALID = 0x8000

function digit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const lower = code | 0x20
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}

/** Values of ASCII hex digits by character code; -1 for anything else. */
export const DIGITS: Int8Array = Int8Array.from({ length: 256 }, (_, code) => digit(code))

/** Byte values of two ASCII hex digits, indexed by their little-endian 16-bit number: one look-up for both. */
const PAIRS: Uint16Array = Uint16Array.from({ length: 65_536 }, (_, pair) => {
  const high = digit(pair & 0xff)
  const low = digit(pair >> 8)
  return high < 0 || low < 0 ? INVALID : (high << 4) | low
})

/** The bytes are not as expected; the caller falls back to the JSON decoder. */
export class UnexpectedBytes extends Error {
  override readonly name = 'UnexpectedBytes'
}

/** The only instance. A stack trace costs as much as decoding ten logs. */
export const UNEXPECTED = new UnexpectedBytes()

/**
 * Reads eight hex digits as a signed 32-bit word, which the engine does not allocate on the heap.
 *
 * @throws UnexpectedBytes
 */
export function readWord(view: DataView, at: number): number {
  const b0 = PAIRS[view.getUint16(at, true)] as number
  const b1 = PAIRS[view.getUint16(at + 2, true)] as number
  const b2 = PAIRS[view.getUint16(at + 4, true)] as number
  const b3 = PAIRS[view.getUint16(at + 6, true)] as number
  if ((b0 | b1 | b2 | b3) & INVALID) throw UNEXPECTED
  return (b0 << 24) | (b1 << 16) | (b2 << 8) | b3
}

/** Reinterprets eight ASCII characters as a double, to compare all eight at once. ASCII text is never NaN. */
export function octetOf(text: string): number {
  return new DataView(new TextEncoder().encode(text).buffer).getFloat64(0, true)
}

/** Eight ASCII zeros as a double. */
export const EIGHT_ZEROS: number = octetOf('00000000')

/** Reinterprets four ASCII characters as a 32-bit number. */
export function quadOf(text: string): number {
  return new DataView(new TextEncoder().encode(text).buffer).getUint32(0, true)
}

/** Reads up to eight hex digits that end at a quote; -1 if there are none, or more. */
export function readQuantity(bytes: Uint8Array, at: number): number {
  let value = 0
  for (let next = at; next <= at + 8; next++) {
    const code = bytes[next] as number
    if (code === 0x22) return next === at ? -1 : value
    const value4 = DIGITS[code] as number
    // Also ends at undefined, past the end of the bytes.
    if (!(value4 >= 0)) return -1
    value = value * 16 + value4
  }
  return -1
}
