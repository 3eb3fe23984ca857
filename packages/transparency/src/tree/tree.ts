import { EMPTY_ROOT, hashNode } from './hash.ts'

/** A complete subtree: the leaves from `index * 2^level` up to, not including, `(index + 1) * 2^level`. */
export type Subtree = { readonly level: number; readonly index: number }

/** Reads the hashes of complete subtrees, in their order. */
export type ReadSubtrees = (subtrees: readonly Subtree[]) => Promise<readonly Uint8Array[]>

/** Leaves from `begin` up to, not including, `end`; both are numbers of leaves. */
type Range = { readonly begin: number; readonly end: number }

/** Returns the root of the first `size` leaves. */
export async function rootOf(size: number, read: ReadSubtrees): Promise<Uint8Array> {
  checkSize(size)
  if (size === 0) return EMPTY_ROOT
  const [root = EMPTY_ROOT] = await hashRanges([{ begin: 0, end: size }], read)
  return root
}

/**
 * Returns the inclusion proof of a leaf in the first `size` leaves (RFC 6962, section 2.1.1), from the leaf's sibling up.
 * @throws RangeError if the leaf is not one of them
 */
export async function proveInclusion(
  index: number,
  size: number,
  read: ReadSubtrees,
): Promise<readonly Uint8Array[]> {
  checkSize(size)
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) {
    throw new RangeError(`leaf ${index} is not in a tree of ${size} leaves`)
  }
  return hashRanges(inclusionRanges(index, { begin: 0, end: size }), read)
}

/**
 * Returns the proof that the first `from` of `to` leaves are the tree of size `from` (RFC 6962, section 2.1.2). Empty if the
 * sizes are equal, or `from` is 0.
 * @throws RangeError if `from` is larger than `to`
 */
export async function proveConsistency(
  from: number,
  to: number,
  read: ReadSubtrees,
): Promise<readonly Uint8Array[]> {
  checkSize(from)
  checkSize(to)
  if (from > to) throw new RangeError(`a tree of ${to} leaves has no older one of ${from}`)
  if (from === 0 || from === to) return []
  return hashRanges(consistencyRanges(from, { begin: 0, end: to }, true), read)
}

function inclusionRanges(index: number, { begin, end }: Range): Range[] {
  if (end - begin === 1) return []
  const middle = begin + splitOf(end - begin)
  return index < middle
    ? [...inclusionRanges(index, { begin, end: middle }), { begin: middle, end }]
    : [...inclusionRanges(index, { begin: middle, end }), { begin, end: middle }]
}

/** @param isWhole whether the older tree's own root, which the verifier knows, would be the next hash */
function consistencyRanges(from: number, { begin, end }: Range, isWhole: boolean): Range[] {
  if (from === end) return isWhole ? [] : [{ begin, end }]
  const middle = begin + splitOf(end - begin)
  return from <= middle
    ? [...consistencyRanges(from, { begin, end: middle }, isWhole), { begin: middle, end }]
    : [...consistencyRanges(from, { begin: middle, end }, false), { begin, end: middle }]
}

/** Hashes ranges, each of which begins at a multiple of the least power of two that is not below its length. */
async function hashRanges(ranges: readonly Range[], read: ReadSubtrees): Promise<Uint8Array[]> {
  const parts = ranges.map(completeSubtrees)
  const hashes = await read(parts.flat())
  let at = 0
  return parts.map(({ length }) => {
    const [last = EMPTY_ROOT, ...others] = hashes.slice(at, at + length).reverse()
    at += length
    return others.reduce((right, left) => hashNode(left, right), last)
  })
}

/** Splits a range into complete subtrees, from left to right and from the largest to the smallest. */
export function completeSubtrees({ begin, end }: Range): Subtree[] {
  const subtrees: Subtree[] = []
  for (let at = begin; at < end; ) {
    const level = Math.floor(Math.log2(end - at))
    subtrees.push({ level, index: at / 2 ** level })
    at += 2 ** level
  }
  return subtrees
}

/** Returns the largest power of two below a number above 1. */
function splitOf(length: number): number {
  return 2 ** (Math.ceil(Math.log2(length)) - 1)
}

/** @throws RangeError if a size is not a whole number from 0 to 2^48, up to which the arithmetic here is exact */
export function checkSize(size: number): void {
  if (!isSize(size)) throw new RangeError(`a tree's size must be a whole number from 0 to 2^48, not ${size}`)
}

/** Whether a number is a size that this code computes with. */
export function isSize(size: number): boolean {
  return Number.isInteger(size) && size >= 0 && size <= MAX_SIZE
}

const MAX_SIZE = 2 ** 48
