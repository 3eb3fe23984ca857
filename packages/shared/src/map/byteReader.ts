import { MapFormatError } from './mapError.ts'

/** Most bytes of a number. */
export const MAX_VARINT_BYTES = 5

/** Reads numbers and bytes in order. */
export type ByteReader = {
  /** Position of the next byte. */
  at: number
  /** @throws MapFormatError at the end */
  byte(): number
  /** Reads an unsigned LEB128 number below 2^32. @throws MapFormatError */
  varint(): number
  /** Returns a view of the next bytes. @throws MapFormatError if fewer are left */
  take(length: number): Uint8Array
  /** Number of bytes left. */
  left(): number
}

type ReaderState = ByteReader & { readonly bytes: Uint8Array; readonly end: number }

// Shared by all readers: a look-up makes several, and closures would cost more than the reads.
function byte(this: ReaderState): number {
  if (this.at >= this.end) throw new MapFormatError('end')
  return this.bytes[this.at++] as number
}

function varint(this: ReaderState): number {
  const { bytes, end } = this
  let value = 0
  // Most numbers have one or two bytes.
  for (let index = 0; index < MAX_VARINT_BYTES; index++) {
    if (this.at >= end) throw new MapFormatError('end')
    const next = bytes[this.at++] as number
    value += index < 4 ? (next & 0x7f) << (7 * index) : (next & 0x7f) * 2 ** 28
    if (next < 0x80) {
      if (value > 0xffffffff || (index > 0 && next === 0)) break
      return value
    }
  }
  throw new MapFormatError('number')
}

function take(this: ReaderState, length: number): Uint8Array {
  if (length > this.end - this.at) throw new MapFormatError('end')
  this.at += length
  return this.bytes.subarray(this.at - length, this.at)
}

function left(this: ReaderState): number {
  return this.end - this.at
}

/** Creates a reader. Every read is checked against the end. */
export function createByteReader(bytes: Uint8Array, at = 0, end = bytes.length): ByteReader {
  const reader: ReaderState = { bytes, at, end, byte, varint, take, left }
  return reader
}
