import { createEd25519Verifier, publicKeyOf, signEd25519 } from '../notes/ed25519.ts'
import {
  formatVerifierKey,
  keyIdOf,
  type NoteSigner,
  type NoteVerifier,
  readVerifierKey,
} from '../notes/noteKey.ts'
import { LogError } from './logError.ts'

/** Signature type of Ed25519 cosignatures (C2SP tlog-cosignature). */
export const COSIGNATURE_TYPE = 0x04

const TIME_BYTES = 8

/**
 * Parses the public key of a witness: `name+id+base64(0x04 || key)`.
 * @throws NoteError `malformed_key`
 * @throws LogError `malformed_policy` for keys of another type
 */
export function parseWitnessKey(text: string): NoteVerifier {
  const { name, keyId, type, publicKey } = readVerifierKey(text)
  if (type !== COSIGNATURE_TYPE) {
    throw new LogError('malformed_policy', `expected the key of a witness (type 0x04), got ${text}`)
  }
  const verify = createEd25519Verifier(publicKey)
  return {
    name,
    keyId,
    async verify(body, signature) {
      const time = cosignedAt(signature)
      if (time === undefined) return false
      return verify(cosignedMessage(time, body), signature.slice(TIME_BYTES))
    },
  }
}

/** The signer of a witness. */
export type Cosigner = NoteSigner & {
  /** Public key: `name+id+base64(0x04 || key)`. */
  readonly verifierKey: string
}

/**
 * Creates the signer of a witness.
 * @param seed 32 bytes
 * @param now returns Unix time in ms
 */
export async function createCosigner(name: string, seed: Uint8Array, now: () => number): Promise<Cosigner> {
  const publicKey = await publicKeyOf(seed)
  return {
    name,
    keyId: keyIdOf(name, COSIGNATURE_TYPE, publicKey),
    verifierKey: formatVerifierKey(name, publicKey, COSIGNATURE_TYPE),
    async sign(body) {
      const time = Math.floor(now() / 1000)
      const signature = new Uint8Array(TIME_BYTES + 64)
      new DataView(signature.buffer).setBigUint64(0, BigInt(time))
      signature.set(await signEd25519(seed, cosignedMessage(time, body)), TIME_BYTES)
      return signature
    },
  }
}

/** Returns the time of a cosignature in s since 1970; undefined if it holds none that a number can. */
export function cosignedAt(signature: Uint8Array): number | undefined {
  if (signature.length < TIME_BYTES) return undefined
  const time = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0))
  return Number.isSafeInteger(time) ? time : undefined
}

function cosignedMessage(time: number, body: Uint8Array): Uint8Array {
  const head = new TextEncoder().encode(`cosignature/v1\ntime ${time}\n`)
  const message = new Uint8Array(head.length + body.length)
  message.set(head)
  message.set(body, head.length)
  return message
}
