import { recoverPublicKey } from '@noble/secp256k1'
import { concat } from './bytes.ts'

/**
 * Recovers the uncompressed public key (65 bytes) of a signature from `r` and `s` (64 bytes), the parity of the
 * nonce's point (0 or 1) and the digest (32 bytes).
 * @throws if there is no such key
 */
export type RecoverKey = (rs: Uint8Array, parity: number, digest: Uint8Array) => Uint8Array

/** Recovers in JavaScript; takes 1-2 ms. */
export const recoverKeyInScript: RecoverKey = (rs, parity, digest) =>
  recoverPublicKey(concat(Uint8Array.of(parity), rs), digest, { prehash: false, isCompressed: false })

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
