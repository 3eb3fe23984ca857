export { decodeBase64, encodeBase64 } from './base64.ts'
export { type Checkpoint, formatCheckpoint, parseCheckpoint, parseSize } from './checkpoint/checkpoint.ts'
export {
  COSIGNATURE_TYPE,
  type Cosigner,
  cosignedAt,
  createCosigner,
  parseWitnessKey,
} from './checkpoint/cosignature.ts'
export { LogError, type LogErrorCode } from './checkpoint/logError.ts'
export {
  type LogPolicy,
  type OpenedCheckpoint,
  openCheckpoint,
  type ReadPolicy,
  readLogPolicy,
} from './checkpoint/policy.ts'
export {
  formatLogProof,
  type LogProof,
  makeLogProof,
  type ProvenLeaf,
  parseLogProof,
  verifyLogProof,
} from './checkpoint/proof.ts'
export { createEd25519Verifier, publicKeyOf, signEd25519 } from './notes/ed25519.ts'
export {
  formatLine,
  type NoteSignature,
  type OpenedNote,
  openNote,
  parseNote,
  signNote,
} from './notes/note.ts'
export { NoteError, type NoteErrorCode } from './notes/noteError.ts'
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
} from './notes/noteKey.ts'
export { checkContinues, type ReadLogFile, readBundle, readInclusion } from './reader/readLog.ts'
export { sha256 } from './sha256.ts'
export { sha256InScript } from './sha256InScript.ts'
export { decodeEntries, encodeEntries, MAX_ENTRY_BYTES } from './tree/entries.ts'
export { EMPTY_ROOT, HASH_BYTES, hashLeaf, hashNode, sameBytes } from './tree/hash.ts'
export {
  bundlePath,
  hashTile,
  parseTilePath,
  type ReadTiles,
  readFromTiles,
  TILE_WIDTH,
  type Tile,
  tilePath,
  tileWidth,
} from './tree/tiles.ts'
export {
  completeSubtrees,
  proveConsistency,
  proveInclusion,
  type ReadSubtrees,
  rootOf,
  type Subtree,
} from './tree/tree.ts'
export { type TreeHead, verifyConsistency, verifyInclusion } from './tree/verify.ts'
