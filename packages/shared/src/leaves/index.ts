export { canonicalJson, type Json } from './canonicalJson.ts'
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
