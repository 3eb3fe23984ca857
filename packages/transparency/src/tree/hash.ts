import { sha256 } from '../sha256.ts'

/** Length of a hash in bytes. */
export const HASH_BYTES = 32

/** Root of a tree without leaves (RFC 6962, section 2.1). */
export const EMPTY_ROOT: Uint8Array = sha256(new Uint8Array())

const LEAF_PREFIX = 0
const NODE_PREFIX = 1

/** Hashes a leaf (RFC 6962, section 2.1). */
export function hashLeaf(leaf: Uint8Array): Uint8Array {
  const input = new Uint8Array(1 + leaf.length)
  input[0] = LEAF_PREFIX
  input.set(leaf, 1)
  return sha256(input)
}

/** Hashes two neighbouring subtrees of equal height (RFC 6962, section 2.1). */
export function hashNode(left: Uint8Array, right: Uint8Array): Uint8Array {
  node.set(left, 1)
  node.set(right, 1 + HASH_BYTES)
  return sha256(node)
}

/** Input of `hashNode`, which is done with it when it returns. */
const node = new Uint8Array(1 + 2 * HASH_BYTES)
node[0] = NODE_PREFIX

/** Whether two byte arrays are equal. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}
