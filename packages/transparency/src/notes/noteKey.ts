import { decodeBase64, encodeBase64 } from '../base64.ts'
import { sha256InScript } from '../sha256InScript.ts'
import { createEd25519Verifier, publicKeyOf, signEd25519 } from './ed25519.ts'
import { NoteError } from './noteError.ts'

/** Signature type of plain Ed25519 keys. Source: C2SP signed-note, "Signature types". */
export const ED25519_TYPE = 0x01

const MAX_NAME = 256
const MAX_KEY_TEXT = 1024
const PUBLIC_KEY_BYTES = 32
const PRIVATE_PREFIX = 'PRIVATE+KEY+'
const NOT_IN_NAMES = /[\p{White_Space}\p{Cc}\p{Surrogate}+]/u

/** Verifies the signatures of one key. The name and the id together identify it. */
export type NoteVerifier = {
  /** Name of the key, usually a URL without its scheme. */
  name: string
  /** Unsigned 32-bit number. */
  keyId: number
  /** @param signature the bytes that follow the key id */
  verify(text: Uint8Array, signature: Uint8Array): Promise<boolean>
}

/** Signs notes with one key. */
export type NoteSigner = {
  name: string
  keyId: number
  /** Returns the bytes that follow the key id. */
  sign(text: Uint8Array): Promise<Uint8Array>
}

/** A public key in the text form that verifiers share, taken apart. */
export type VerifierKey = {
  name: string
  keyId: number
  /** Signature type, such as {@link ED25519_TYPE}. */
  type: number
  publicKey: Uint8Array<ArrayBuffer>
}

/** Whether a text can be the name of a key: 1 to 256 characters without white space, plus or control characters. */
export function isKeyName(name: string): boolean {
  return name !== '' && name.length <= MAX_NAME && !NOT_IN_NAMES.test(name)
}

/**
 * Computes a key id: the first four bytes of SHA-256 over name, newline, signature type and public key.
 * Source: C2SP signed-note, "Signatures".
 */
export function keyIdOf(name: string, type: number, publicKey: Uint8Array): number {
  const head = new TextEncoder().encode(`${name}\n`)
  const digest = sha256InScript(Uint8Array.from([...head, type, ...publicKey]))
  return new DataView(digest.buffer, digest.byteOffset).getUint32(0)
}

/** Formats a public key as `name+id+base64(type || key)`. */
export function formatVerifierKey(name: string, publicKey: Uint8Array, type: number = ED25519_TYPE): string {
  if (!isKeyName(name)) throw new NoteError('malformed_key', 'expected a key name without spaces or plus')
  return `${name}+${formatKeyId(keyIdOf(name, type, publicKey))}+${encodeBase64(Uint8Array.from([type, ...publicKey]))}`
}

/**
 * Parses `name+id+base64(type || key)` of any signature type whose key has 32 bytes.
 * @throws NoteError `malformed_key`
 */
export function readVerifierKey(text: string): VerifierKey {
  const { name, keyId, type, rest: publicKey } = readKey(text)
  if (keyIdOf(name, type, publicKey) !== keyId) {
    throw new NoteError('malformed_key', 'the key id does not match its name and bytes')
  }
  return { name, keyId, type, publicKey }
}

/**
 * Parses the public key of an Ed25519 signer, as Go's `sumdb/note` writes it.
 * @throws NoteError `malformed_key`, also for other signature types
 */
export function parseVerifierKey(text: string): NoteVerifier {
  const { name, type, publicKey } = readVerifierKey(text)
  if (type !== ED25519_TYPE) throw new NoteError('malformed_key', 'expected an Ed25519 key (type 0x01)')
  return ed25519Verifier(name, publicKey)
}

/** Creates the verifier of an Ed25519 key. */
export function ed25519Verifier(name: string, publicKey: Uint8Array): NoteVerifier {
  const keyId = keyIdOf(name, ED25519_TYPE, publicKey)
  return { name, keyId, verify: createEd25519Verifier(publicKey) }
}

/**
 * Parses the private key of an Ed25519 signer: `PRIVATE+KEY+name+id+base64(0x01 || seed)`.
 * @throws NoteError `malformed_key`; the message never quotes the key
 */
export async function parseSignerKey(text: string): Promise<NoteSigner> {
  const { seed, name, keyId } = await readSignerKey(text)
  return { name, keyId, sign: (message) => signEd25519(seed, message) }
}

/** Returns the public key, in its text form, of a private key in its text form. */
export async function verifierKeyOf(signerKey: string): Promise<string> {
  const { name, publicKey } = await readSignerKey(signerKey)
  return formatVerifierKey(name, publicKey)
}

/** Formats a seed of 32 bytes as `PRIVATE+KEY+name+id+base64(0x01 || seed)`. */
export async function formatSignerKey(name: string, seed: Uint8Array): Promise<string> {
  const [, keyId] = formatVerifierKey(name, await publicKeyOf(seed)).split('+')
  return `${PRIVATE_PREFIX}${name}+${keyId}+${encodeBase64(Uint8Array.from([ED25519_TYPE, ...seed]))}`
}

/** Formats a key id as eight hexadecimal digits. */
export function formatKeyId(keyId: number): string {
  return keyId.toString(16).padStart(8, '0')
}

async function readSignerKey(text: string) {
  if (!text.startsWith(PRIVATE_PREFIX))
    throw new NoteError('malformed_key', 'expected PRIVATE+KEY+name+id+key')
  const { name, keyId, type, rest: seed } = readKey(text.slice(PRIVATE_PREFIX.length))
  if (type !== ED25519_TYPE) throw new NoteError('malformed_key', 'expected an Ed25519 key (type 0x01)')
  const publicKey = await publicKeyOf(seed)
  if (keyIdOf(name, type, publicKey) !== keyId) {
    throw new NoteError('malformed_key', 'the key id does not match its name and bytes')
  }
  return { name, keyId, seed, publicKey }
}

function readKey(text: string) {
  // Base64 holds plus signs too, a name and an id do not.
  const [, name = '', id = '', encoded = ''] =
    (text.length <= MAX_KEY_TEXT && /^([^+]*)\+([0-9a-f]{8})\+(.*)$/su.exec(text)) || []
  const bytes = decodeBase64(encoded)
  if (!isKeyName(name) || bytes === undefined || bytes.length !== 1 + PUBLIC_KEY_BYTES) {
    throw new NoteError(
      'malformed_key',
      'expected name+id+key: 8 hexadecimal digits, then base64 of 33 bytes',
    )
  }
  return { name, keyId: Number.parseInt(id, 16), type: bytes[0] ?? 0, rest: bytes.slice(1) }
}
