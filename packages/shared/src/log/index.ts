export { canonicalJson, type Json } from './canonicalJson.ts'
export { type Checkpoint, formatCheckpoint, parseCheckpoint, parseSize } from './checkpoint.ts'
export { COSIGNATURE_TYPE, cosignedAt, createCosigner, parseWitnessKey } from './cosignature.ts'
export { decodeEntries, encodeEntries, MAX_ENTRY_BYTES } from './entries.ts'
export { EMPTY_ROOT, HASH_BYTES, hashLeaf, hashNode, sameBytes } from './hash.ts'
export {
  digestOf,
  joinLeaf,
  LEAF_KINDS,
  type Leaf,
  type LeafText,
  type Opening,
  openLeaf,
  readLeaf,
  SALT_BYTES,
  splitLeaf,
  writeLeaf,
} from './leaf.ts'
export { LogError, type LogErrorCode } from './logError.ts'
export {
  type LogPolicy,
  type OpenedCheckpoint,
  openCheckpoint,
  type ReadPolicy,
  readLogPolicy,
} from './policy.ts'
export {
  formatLogProof,
  type LogProof,
  makeLogProof,
  type ProvenLeaf,
  parseLogProof,
  verifyLogProof,
} from './proof.ts'
export {
  hashTile,
  parseTilePath,
  type ReadTiles,
  readFromTiles,
  TILE_WIDTH,
  type Tile,
  tilePath,
  tileWidth,
} from './tiles.ts'
export {
  completeSubtrees,
  proveConsistency,
  proveInclusion,
  type ReadSubtrees,
  rootOf,
  type Subtree,
} from './tree.ts'
export { type TreeHead, verifyConsistency, verifyInclusion } from './verify.ts'
