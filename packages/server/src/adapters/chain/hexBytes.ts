/** Set in a looked-up pair that is not two hex digits. */
const INVALID = 0x8000

const digit = (code: number): number => {
  if (code >= 48 && code <= 57) return code - 48
  const lower = code | 0x20
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}

/** Byte value of two ASCII hex digits, indexed by `first << 8 | second`; half as many look-ups as by digit. */
const PAIRS: Uint16Array = Uint16Array.from({ length: 65_536 }, (_, pair) => {
  const high = digit(pair >> 8)
  const low = digit(pair & 0xff)
  return high < 0 || low < 0 ? INVALID : (high << 4) | low
})

/** Something in the bytes is not as expected; the caller decodes the slow way. */
export class UnexpectedBytes extends Error {
  override readonly name = 'UnexpectedBytes'
}

/** Reads eight hex digits as one 32-bit word. @throws UnexpectedBytes */
export const readWord = (bytes: Uint8Array, at: number): number => {
  const b0 = PAIRS[((bytes[at] as number) << 8) | (bytes[at + 1] as number)] as number
  const b1 = PAIRS[((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)] as number
  const b2 = PAIRS[((bytes[at + 4] as number) << 8) | (bytes[at + 5] as number)] as number
  const b3 = PAIRS[((bytes[at + 6] as number) << 8) | (bytes[at + 7] as number)] as number
  if ((b0 | b1 | b2 | b3) & INVALID) throw new UnexpectedBytes()
  return ((b0 << 24) | (b1 << 16) | (b2 << 8) | b3) >>> 0
}

/** Reads four hex digits. @throws UnexpectedBytes */
export const readHalfWord = (bytes: Uint8Array, at: number): number => {
  const b0 = PAIRS[((bytes[at] as number) << 8) | (bytes[at + 1] as number)] as number
  const b1 = PAIRS[((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)] as number
  if ((b0 | b1) & INVALID) throw new UnexpectedBytes()
  return (b0 << 8) | b1
}

/** Eight ASCII zeros, as the double that their bytes make. */
export const EIGHT_ZEROS = new DataView(new TextEncoder().encode('00000000').buffer).getFloat64(0, true)

/** The double that eight ASCII characters make: comparing it compares all eight at once, for text is never NaN. */
export const octetOf = (text: string): number =>
  new DataView(new TextEncoder().encode(text).buffer).getFloat64(0, true)

/** The 32-bit number that four ASCII characters make. */
export const quadOf = (text: string): number =>
  new DataView(new TextEncoder().encode(text).buffer).getUint32(0, true)

/** Reads the hex digits up to a quote, at most eight. @throws UnexpectedBytes */
export const readQuantity = (bytes: Uint8Array, at: number): number => {
  let value = 0
  let next = at
  for (;;) {
    const code = bytes[next] as number
    if (code === 0x22) break
    const value4 = digit(code)
    if (value4 < 0) throw new UnexpectedBytes()
    value = value * 16 + value4
    next++
  }
  if (next === at || next - at > 8) throw new UnexpectedBytes()
  return value
}
