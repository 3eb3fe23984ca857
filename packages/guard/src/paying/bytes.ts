import { keccak_256 } from '@noble/hashes/sha3.js'

/** Parses `0x` and an even number of hexadecimal digits; undefined if the text is invalid. */
export function hexToBytes(hex: string): Uint8Array | undefined {
  if (!/^0x([0-9a-fA-F]{2})*$/.test(hex)) return undefined
  const bytes = new Uint8Array((hex.length - 2) / 2)
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = Number.parseInt(hex.slice(2 + 2 * index, 4 + 2 * index), 16)
  }
  return bytes
}

/** Formats bytes as `0x` and lower-case hexadecimal digits. */
export function bytesToHex(bytes: Uint8Array): `0x${string}` {
  let hex = ''
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0')
  return `0x${hex}`
}

/** Encodes a number as 32 bytes, big-endian. */
export function word(value: bigint): Uint8Array {
  const bytes = new Uint8Array(32)
  for (let index = 31, rest = value; index >= 0; index--, rest >>= 8n) bytes[index] = Number(rest & 255n)
  return bytes
}

/** Concatenates byte strings. */
export function concat(...parts: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}

/** Computes the Keccak-256 hash of bytes or UTF-8 text. */
export function keccak(data: Uint8Array | string): Uint8Array {
  return keccak_256(typeof data === 'string' ? new TextEncoder().encode(data) : data)
}
