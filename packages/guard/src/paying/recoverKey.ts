import { recoverPublicKey } from '@noble/secp256k1'
import { concat } from './bytes.ts'

/**
 * Recovers the public key that made a signature: 65 bytes, uncompressed, from `r` and `s` (64 bytes), the parity of the
 * nonce's point (0 or 1) and the digest (32 bytes). Throws where there is none.
 */
export type RecoverKey = (rs: Uint8Array, parity: number, digest: Uint8Array) => Uint8Array

/** In plain JavaScript, which runs everywhere and takes 1 to 2 milliseconds. */
export const recoverKeyInScript: RecoverKey = (rs, parity, digest) =>
  recoverPublicKey(concat(Uint8Array.of(parity), rs), digest, { prehash: false, isCompressed: false })

let fastest: RecoverKey | undefined

/** The fastest way that there is here. Looked for at the first signature, so that no import waits for it. */
export function chooseRecoverKey(): RecoverKey {
  fastest ??= loadNativeRecoverKey() ?? recoverKeyInScript
  return fastest
}

/**
 * By the native `secp256k1` package, where it is installed and has a build for this machine; null elsewhere.
 *
 * Loaded by Node itself and by a name that no bundler follows, so that a bundle never holds it. Its own fallback in
 * JavaScript is passed over.
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

// The one function that is used; the package carries no types.
type NativeSecp256k1 = {
  ecdsaRecover(rs: Uint8Array, parity: number, digest: Uint8Array, isCompressed: boolean): Uint8Array
}
