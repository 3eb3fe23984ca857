import { EMPTY_ROOT, HASH_BYTES, hashNode, sameBytes } from './hash.ts'
import { isSize } from './tree.ts'

/** A tree as a checkpoint names it. */
export type TreeHead = { readonly size: number; readonly root: Uint8Array }

/** A leaf's place, and the hashes that lead from it to the root. */
export type Inclusion = {
  readonly leafHash: Uint8Array
  readonly index: number
  readonly proof: readonly Uint8Array[]
}

/** Whether a leaf is in a tree, by its inclusion proof (RFC 9162, section 2.1.3.2). */
export function verifyInclusion({ leafHash, index, proof }: Inclusion, { size, root }: TreeHead): boolean {
  if (!isSize(size) || !isSize(index) || index >= size || !areHashes([leafHash, root, ...proof])) return false
  let node = index
  let last = size - 1
  let hash = leafHash
  for (const sibling of proof) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      hash = hashNode(sibling, hash)
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)]
    } else {
      hash = hashNode(hash, sibling)
    }
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 && sameBytes(hash, root)
}

/** Whether one tree begins with the leaves of an older one, by their consistency proof (RFC 9162, section 2.1.4.2). */
export function verifyConsistency(older: TreeHead, newer: TreeHead, proof: readonly Uint8Array[]): boolean {
  if (!isSize(older.size) || !isSize(newer.size) || older.size > newer.size) return false
  if (!areHashes([older.root, newer.root, ...proof])) return false
  if ([older, newer].some(({ size, root }) => size === 0 && !sameBytes(root, EMPTY_ROOT))) return false
  if (older.size === newer.size) return proof.length === 0 && sameBytes(older.root, newer.root)
  if (older.size === 0) return proof.length === 0
  // A complete older tree is a node of the newer one, so its root is not repeated in the proof.
  const path = Number.isInteger(Math.log2(older.size)) ? [older.root, ...proof] : proof
  const [first, ...rest] = path
  if (first === undefined) return false
  let node = older.size - 1
  let last = newer.size - 1
  while (node % 2 === 1) [node, last] = [half(node), half(last)]
  let olderHash = first
  let newerHash = first
  for (const hash of rest) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      olderHash = hashNode(hash, olderHash)
      newerHash = hashNode(hash, newerHash)
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)]
    } else {
      newerHash = hashNode(newerHash, hash)
    }
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 && sameBytes(olderHash, older.root) && sameBytes(newerHash, newer.root)
}

/** Sizes may exceed 32 bits, so shifts are divisions. */
const half = (number: number) => Math.floor(number / 2)

const areHashes = (hashes: readonly Uint8Array[]) => hashes.every(({ length }) => length === HASH_BYTES)
