import { keccak_256 } from '@noble/hashes/sha3.js'
import { hexToBytes as parseDigits, bytesToHex as toDigits, utf8ToBytes } from '@noble/hashes/utils.js'

export { concatBytes as concat } from '@noble/hashes/utils.js'

/** Parses `0x` and an even number of hexadecimal digits; undefined if the text is invalid. */
export function hexToBytes(hex: string): Uint8Array | undefined {
  return /^0x([0-9a-fA-F]{2})*$/.test(hex) ? parseDigits(hex.slice(2)) : undefined
}

/** Formats bytes as `0x` and lower-case hexadecimal digits. */
export function bytesToHex(bytes: Uint8Array): `0x${string}` {
  return `0x${toDigits(bytes)}`
}

/** Encodes a number modulo 2^256 as 32 bytes, big-endian. */
export function word(value: bigint): Uint8Array {
  return parseDigits(BigInt.asUintN(256, value).toString(16).padStart(64, '0'))
}

/** Computes the Keccak-256 hash of bytes or UTF-8 text. */
export function keccak(data: Uint8Array | string): Uint8Array {
  return keccak_256(typeof data === 'string' ? utf8ToBytes(data) : data)
}
