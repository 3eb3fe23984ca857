import { UNEXPECTED } from './hexBytes.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Returns the offset of the next byte that is not white space. */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let next = at
  for (;;) {
    const byte = bytes[next]
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return next
    next++
  }
}

/** Returns the offset after a string whose first character is at `at`. @throws UnexpectedBytes */
export function skipString(bytes: Uint8Array, at: number): number {
  let next = at
  for (;;) {
    const byte = bytes[next]
    if (byte === QUOTE) return next + 1
    // A control character is invalid, and so is the end of the bytes.
    if (byte === undefined || byte < 0x20) throw UNEXPECTED
    next += byte === BACKSLASH ? 2 : 1
  }
}

const isOpening = (byte: number) => byte === 0x7b || byte === 0x5b
const isClosing = (byte: number) => byte === 0x7d || byte === 0x5d
const isScalar = (byte: number) =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === 0x2d ||
  byte === 0x2b ||
  byte === 0x2e ||
  byte === 0x45

/** Returns the offset after any value. Nested values are skipped by depth, not validated. @throws UnexpectedBytes */
export function skipValue(bytes: Uint8Array, at: number): number {
  let next = at
  let depth = 0
  for (;;) {
    const byte = bytes[next]
    if (byte === undefined) throw UNEXPECTED
    if (byte === QUOTE) next = skipString(bytes, next + 1)
    else if (isOpening(byte)) {
      depth++
      next++
    } else if (isClosing(byte)) {
      depth--
      next++
    } else if (depth > 0) next++
    else if (isScalar(byte)) {
      while (isScalar(bytes[next] ?? 0)) next++
    } else throw UNEXPECTED
    if (depth < 0) throw UNEXPECTED
    if (depth === 0) return next
  }
}
