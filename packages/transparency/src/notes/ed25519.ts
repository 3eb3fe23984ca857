import { readBase64 } from '../base64.ts'

// Node 20, Deno and current browsers have Ed25519 in WebCrypto. The fallback is a separate chunk, loaded only where the
// runtime lacks the algorithm.
const ALGORITHM = 'Ed25519'
const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
/** PKCS #8 header of an Ed25519 seed. Source: RFC 8410 section 7. */
const PKCS8_HEADER = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20]

type Fallback = {
  sign(message: Uint8Array, seed: Uint8Array): Uint8Array
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean
  getPublicKey(seed: Uint8Array): Uint8Array
}

async function loadFallback(): Promise<Fallback> {
  return (await import('@noble/curves/ed25519')).ed25519
}

/** Whether an error states that the runtime lacks the algorithm, rather than that the key is invalid. */
function isUnsupported(error: unknown): boolean {
  return error instanceof Error && error.name === 'NotSupportedError'
}

async function tryNative<T>(native: () => Promise<T>, otherwise: (fallback: Fallback) => T): Promise<T> {
  try {
    return await native()
  } catch (error) {
    if (!isUnsupported(error)) throw error
    return otherwise(await loadFallback())
  }
}

/** Verifies signatures of one key; false also for a signature of the wrong length. */
export type VerifyEd25519 = (message: Uint8Array, signature: Uint8Array) => Promise<boolean>

/**
 * Creates the verifier of a key, which imports it once. Source: RFC 8032 section 5.1.7.
 * @param publicKey 32 bytes; under one of another length nothing verifies
 */
export function createEd25519Verifier(publicKey: Uint8Array): VerifyEd25519 {
  const own = copyOf(publicKey)
  let imported: Promise<CryptoKey> | undefined
  return async (message, signature) => {
    if (own.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false
    try {
      return await tryNative(
        async () => {
          imported ??= crypto.subtle.importKey('raw', own, ALGORITHM, false, ['verify'])
          return crypto.subtle.verify(ALGORITHM, await imported, copyOf(signature), copyOf(message))
        },
        (fallback) => fallback.verify(signature, message, own),
      )
    } catch {
      // Runtimes differ in whether a key that is no point of the curve is refused on import or on use.
      return false
    }
  }
}

/**
 * Signs a message with Ed25519. Source: RFC 8032 section 5.1.6.
 * @param seed 32 bytes
 */
export async function signEd25519(seed: Uint8Array, message: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return tryNative(
    async () => {
      const key = await importSeed(seed, false)
      return new Uint8Array(await crypto.subtle.sign(ALGORITHM, key, copyOf(message)))
    },
    (fallback) => copyOf(fallback.sign(message, seed)),
  )
}

/**
 * Returns the public key of a seed, 32 bytes.
 * @param seed 32 bytes
 */
export async function publicKeyOf(seed: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return tryNative(
    async () => {
      const { x = '' } = await crypto.subtle.exportKey('jwk', await importSeed(seed, true))
      return readBase64(x.replaceAll('-', '+').replaceAll('_', '/'))
    },
    (fallback) => copyOf(fallback.getPublicKey(seed)),
  )
}

function importSeed(seed: Uint8Array, extractable: boolean): Promise<CryptoKey> {
  if (seed.length !== KEY_BYTES) throw new RangeError('expected a seed of 32 bytes')
  return crypto.subtle.importKey(
    'pkcs8',
    Uint8Array.from([...PKCS8_HEADER, ...seed]),
    ALGORITHM,
    extractable,
    ['sign'],
  )
}

// WebCrypto takes no view of shared memory.
function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
