export { decodeBase64, encodeBase64 } from './base64.ts'
export { createEd25519Verifier, publicKeyOf, signEd25519 } from './ed25519.ts'
export { formatLine, type NoteSignature, type OpenedNote, openNote, parseNote, signNote } from './note.ts'
export { NoteError, type NoteErrorCode } from './noteError.ts'
export {
  ED25519_TYPE,
  ed25519Verifier,
  formatKeyId,
  formatSignerKey,
  formatVerifierKey,
  isKeyName,
  keyIdOf,
  type NoteSigner,
  type NoteVerifier,
  parseSignerKey,
  parseVerifierKey,
  readVerifierKey,
  type VerifierKey,
  verifierKeyOf,
} from './noteKey.ts'
