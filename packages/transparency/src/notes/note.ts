import { decodeBase64, encodeBase64 } from '../base64.ts'
import { NoteError } from './noteError.ts'
import { formatKeyId, isKeyName, type NoteSigner, type NoteVerifier } from './noteKey.ts'

const MAX_BYTES = 1_000_000
const MAX_SIGNATURES = 100
const KEY_ID_BYTES = 4
const LINE_START = '— '
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it rejects
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/

/** One signature line. */
export type NoteSignature = {
  name: string
  /** Unsigned 32-bit number. */
  keyId: number
  /** The bytes that follow the key id. */
  signature: Uint8Array<ArrayBuffer>
}

/** A note of which at least one known key signed the text. */
export type OpenedNote = {
  /** Ends with a newline. */
  text: string
  /** Signatures by known keys, one a key, all verified. */
  signatures: NoteSignature[]
  /** Signatures by unknown keys, without repeated lines. They prove nothing. */
  unverified: NoteSignature[]
}

/**
 * Parses a note without verifying it.
 * Source: C2SP signed-note, "Format"; the bounds are those of Go's `sumdb/note`: 1 MB, 100 signatures.
 * @throws NoteError `malformed_note`
 */
export function parseNote(note: string | Uint8Array): { text: string; signatures: NoteSignature[] } {
  const whole = readText(note)
  const split = whole.lastIndexOf('\n\n')
  if (split < 0 || !whole.endsWith('\n')) throw malformed('expected a text, an empty line and signatures')
  const lines = whole.slice(split + 2, -1).split('\n', MAX_SIGNATURES + 1)
  if (lines.length > MAX_SIGNATURES) throw malformed(`expected at most ${MAX_SIGNATURES} signatures`)
  return { text: whole.slice(0, split + 1), signatures: lines.map(readLine) }
}

/**
 * Opens a note: verifies each signature by a known key and returns the text.
 * @param verifiers known keys; signatures by others are returned as unverified
 * @throws NoteError if it is malformed, no known key signed it, or a signature that names a known key is invalid
 */
export async function openNote(
  note: string | Uint8Array,
  verifiers: readonly NoteVerifier[],
): Promise<OpenedNote> {
  const { text, signatures } = parseNote(note)
  const content = new TextEncoder().encode(text)
  const verified = new Map<string, NoteSignature>()
  const unverified = new Map<string, NoteSignature>()
  for (const line of signatures) {
    const known = verifiers.filter(({ name, keyId }) => name === line.name && keyId === line.keyId)
    const id = `${line.name}+${formatKeyId(line.keyId)}`
    const [verifier] = known
    if (verifier === undefined) {
      unverified.set(`${id}+${encodeBase64(line.signature)}`, line)
      continue
    }
    if (known.length > 1) throw new NoteError('ambiguous_key', `two known keys are named ${id}`)
    if (verified.has(id)) continue
    if (!(await verifier.verify(content, line.signature))) {
      throw new NoteError('invalid_signature', `the signature by ${id} does not verify`)
    }
    verified.set(id, line)
  }
  if (verified.size === 0) throw new NoteError('unsigned_note', 'no known key signed the note')
  return { text, signatures: [...verified.values()], unverified: [...unverified.values()] }
}

/**
 * Signs a text and returns the note.
 * @param text ends with a newline; no control characters
 * @param existing signatures to keep; one by a key that signs again is replaced
 * @throws NoteError `malformed_note`
 */
export async function signNote(
  text: string,
  signers: readonly NoteSigner[],
  existing: readonly NoteSignature[] = [],
): Promise<string> {
  if (!text.endsWith('\n')) throw malformed('expected a text that ends with a newline')
  const content = new TextEncoder().encode(text)
  const kept = existing.filter(
    (line) => !signers.some(({ name, keyId }) => name === line.name && keyId === line.keyId),
  )
  const made: NoteSignature[] = []
  for (const { name, keyId, sign } of signers) {
    made.push({ name, keyId, signature: new Uint8Array(await sign(content)) })
  }
  const note = `${text}\n${[...kept, ...made].map(formatLine).join('')}`
  // Never return a note that this library cannot parse.
  parseNote(note)
  return note
}

/** Formats one signature line, its newline included. */
export function formatLine({ name, keyId, signature }: NoteSignature): string {
  const bytes = new Uint8Array(KEY_ID_BYTES + signature.length)
  new DataView(bytes.buffer).setUint32(0, keyId)
  bytes.set(signature, KEY_ID_BYTES)
  return `${LINE_START}${name} ${encodeBase64(bytes)}\n`
}

/** Parses one signature line without its newline. */
function readLine(line: string): NoteSignature {
  const [name = '', encoded = '', ...more] = line.startsWith(LINE_START)
    ? line.slice(LINE_START.length).split(' ', 3)
    : []
  const bytes = decodeBase64(encoded)
  if (!isKeyName(name) || more.length > 0 || bytes === undefined || bytes.length <= KEY_ID_BYTES) {
    throw malformed('expected signature lines: em dash, key name, base64')
  }
  return { name, keyId: new DataView(bytes.buffer).getUint32(0), signature: bytes.slice(KEY_ID_BYTES) }
}

function readText(note: string | Uint8Array): string {
  if (note.length > MAX_BYTES) throw malformed('expected at most 1 MB')
  let text = note
  if (typeof text !== 'string') {
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text)
    } catch {
      throw malformed('expected UTF-8')
    }
  }
  if (CONTROL.test(text) || /\p{Surrogate}/u.test(text))
    throw malformed('expected text without control characters')
  return text
}

function malformed(message: string): NoteError {
  return new NoteError('malformed_note', message)
}
