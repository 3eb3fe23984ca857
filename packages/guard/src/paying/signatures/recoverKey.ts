import { Point } from '@noble/secp256k1'
import { bytesToHex, concat } from './bytes.ts'

/**
 * Recovers the uncompressed public key (65 bytes) of a signature from `r` and `s` (64 bytes), the parity of the
 * nonce's point (0 or 1) and the digest (32 bytes).
 * @throws if there is no such key
 */
export type RecoverKey = (rs: Uint8Array, parity: number, digest: Uint8Array) => Uint8Array

/** The order of the group. */
export const { n: ORDER } = Point.CURVE()

/**
 * Recovers in JavaScript; takes 1-2 ms. Both products share their doublings, which needs no table of multiples: a library
 * builds one with its first recovery, which then takes as long as ten.
 * Source: SEC 1, section 4.1.6; Shamir's trick: Handbook of Applied Cryptography, algorithm 14.88.
 */
export const recoverKeyInScript: RecoverKey = (rs, parity, digest) => {
  const [r, s] = [readScalar(rs.subarray(0, 32)), readScalar(rs.subarray(32))]
  const inverse = invert(r)
  const nonce = Point.fromBytes(concat(Uint8Array.of(2 + parity), rs.subarray(0, 32)))
  const ofBase = toBits(modulo(-readNumber(digest) * inverse))
  const ofNonce = toBits(modulo(s * inverse))
  const addends = new Map([
    ['10', Point.BASE],
    ['01', nonce],
    ['11', Point.BASE.add(nonce)],
  ])
  let key = Point.ZERO
  for (let index = 0; index < 256; index++) {
    key = key.double()
    const addend = addends.get(`${ofBase[index]}${ofNonce[index]}`)
    if (addend !== undefined) key = key.add(addend)
  }
  return key.assertValidity().toBytes(false)
}

const readNumber = (bytes: Uint8Array) => BigInt(bytesToHex(bytes))
const toBits = (scalar: bigint) => scalar.toString(2).padStart(256, '0')
const modulo = (value: bigint) => ((value % ORDER) + ORDER) % ORDER

/** Inverts a number modulo the order, a prime, by Fermat's little theorem. */
function invert(value: bigint): bigint {
  let power = 1n
  for (const bit of toBits(ORDER - 2n)) {
    power = modulo(power * power)
    if (bit === '1') power = modulo(power * value)
  }
  return power
}

/** @throws for a number that is no part of a signature */
function readScalar(bytes: Uint8Array): bigint {
  const scalar = readNumber(bytes)
  if (scalar === 0n || scalar >= ORDER) throw new RangeError('not a scalar of secp256k1')
  return scalar
}

let fastest: RecoverKey | undefined

/** Returns the fastest implementation available. Resolved on first use to keep imports fast. */
export function chooseRecoverKey(): RecoverKey {
  fastest ??= loadNativeRecoverKey() ?? recoverKeyInScript
  return fastest
}

/**
 * Loads the native `secp256k1` package; null if it is not installed or has no build for this machine.
 * Loaded by Node at run time, so that bundlers do not include it. Its JavaScript fallback is not used.
 */
export function loadNativeRecoverKey(): RecoverKey | null {
  try {
    const load = globalThis.process.getBuiltinModule('node:module').createRequire(import.meta.url)
    const { ecdsaRecover } = load('secp256k1/bindings') as NativeSecp256k1
    return (rs, parity, digest) => ecdsaRecover(rs, parity, digest, false)
  } catch {
    return null
  }
}

// The package has no types.
type NativeSecp256k1 = {
  ecdsaRecover(rs: Uint8Array, parity: number, digest: Uint8Array, isCompressed: boolean): Uint8Array
}
