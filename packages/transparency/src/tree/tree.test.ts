import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EMPTY_ROOT, hashLeaf, hashNode } from './hash.ts'
import { proveConsistency, proveInclusion, rootOf } from './tree.ts'
import { verifyConsistency, verifyInclusion } from './verify.ts'

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))
const base64 = (text: string) => new Uint8Array(Buffer.from(text, 'base64'))

/** Leaves of the known trees, and the roots of the first 0 to 8 of them (transparency-dev/merkle, testonly). */
const LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map(hex)
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
].map(hex)

/** Vectors of transparency-dev/merkle (Apache-2.0), testdata. */
type Case = { name: string; wantErr: boolean; proof: string[] | null }
const CASES: {
  inclusion: (Case & { leafIdx: number; treeSize: number; root: string; leafHash: string })[]
  consistency: (Case & { size1: number; size2: number; root1: string; root2: string })[]
} = JSON.parse(readFileSync(new URL('../../fixtures/rfc6962.json', import.meta.url), 'utf8'))

/** RFC 6962, section 2.1, as it is written there. */
function plainRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [first] = leaves
  if (first === undefined) return EMPTY_ROOT
  if (leaves.length === 1) return hashLeaf(first)
  const middle = plainSplit(leaves.length)
  return hashNode(plainRoot(leaves.slice(0, middle)), plainRoot(leaves.slice(middle)))
}

function plainPath(index: number, leaves: readonly Uint8Array[]): Uint8Array[] {
  if (leaves.length === 1) return []
  const middle = plainSplit(leaves.length)
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)]
  return index < middle
    ? [...plainPath(index, left), plainRoot(right)]
    : [...plainPath(index - middle, right), plainRoot(left)]
}

function plainProof(from: number, leaves: readonly Uint8Array[], isWhole: boolean): Uint8Array[] {
  if (from === leaves.length) return isWhole ? [] : [plainRoot(leaves)]
  const middle = plainSplit(leaves.length)
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)]
  return from <= middle
    ? [...plainProof(from, left, isWhole), plainRoot(right)]
    : [...plainProof(from - middle, right, false), plainRoot(left)]
}

function plainSplit(length: number): number {
  let split = 1
  while (split * 2 < length) split *= 2
  return split
}

/** Reads subtrees from the leaves themselves. */
const reader =
  (leaves: readonly Uint8Array[]) => async (subtrees: readonly { level: number; index: number }[]) =>
    subtrees.map(({ level, index }) => plainRoot(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)))

const leavesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => Uint8Array.of(index, index >> 8))
const sizes = fc.integer({ min: 1, max: 300 })

test('default: roots of the known trees', async () => {
  for (const [size, root] of ROOTS.entries()) expect(await rootOf(size, reader(LEAVES))).toEqual(root)
})

test.each(CASES.inclusion)(
  'behavior: inclusion vector $name',
  ({ leafIdx, treeSize, root, leafHash, proof, wantErr }) => {
    const inclusion = { leafHash: base64(leafHash), index: leafIdx, proof: (proof ?? []).map(base64) }
    expect(verifyInclusion(inclusion, { size: treeSize, root: base64(root) })).toBe(!wantErr)
  },
)

test.each(CASES.consistency)(
  'behavior: consistency vector $name',
  ({ size1, size2, root1, root2, proof, wantErr }) => {
    const older = { size: size1, root: base64(root1) }
    // One vector accepts a text in place of a root; only hashes are roots here.
    const areRoots = base64(root1).length === 32 && base64(root2).length === 32
    const newer = { size: size2, root: base64(root2) }
    expect(verifyConsistency(older, newer, (proof ?? []).map(base64))).toBe(!wantErr && areRoots)
  },
)

test('behavior: inclusion proofs are those of the plain recursive tree, and verify', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(), async (size, seed) => {
      const leaves = leavesOf(size)
      const index = seed % size
      const proof = await proveInclusion(index, size, reader(leaves))
      expect(proof).toEqual(plainPath(index, leaves))
      const leafHash = hashLeaf(leaves[index] ?? EMPTY_ROOT)
      const head = { size, root: plainRoot(leaves) }
      expect(verifyInclusion({ leafHash, index, proof }, head)).toBe(true)
      expect(verifyInclusion({ leafHash, index: index + 1, proof }, head)).toBe(false)
    }),
  )
})

test('behavior: consistency proofs are those of the plain recursive tree, and verify', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(), async (to, seed) => {
      const leaves = leavesOf(to)
      const from = seed % (to + 1)
      const proof = await proveConsistency(from, to, reader(leaves))
      expect(proof).toEqual(from === 0 ? [] : plainProof(from, leaves, true))
      const older = { size: from, root: plainRoot(leaves.slice(0, from)) }
      const newer = { size: to, root: plainRoot(leaves) }
      expect(verifyConsistency(older, newer, proof)).toBe(true)
      if (from === 0) return
      const forged = { ...older, root: plainRoot([...leaves.slice(0, from - 1), Uint8Array.of(9, 9, 9)]) }
      expect(verifyConsistency(forged, newer, proof)).toBe(false)
    }),
  )
})

test('behavior: sizes beyond 32 bits', async () => {
  const size = 2 ** 40 + 3
  // All leaves are equal, so that one hash stands for each level.
  const levels = [hashLeaf(Uint8Array.of(7))]
  for (let level = 0; level < 48; level++) {
    const below = levels[level] ?? EMPTY_ROOT
    levels.push(hashNode(below, below))
  }
  const read = async (subtrees: readonly { level: number }[]) =>
    subtrees.map(({ level }) => levels[level] ?? EMPTY_ROOT)
  const root = await rootOf(size, read)
  const index = 2 ** 39 + 12_345
  const proof = await proveInclusion(index, size, read)
  expect(verifyInclusion({ leafHash: hashLeaf(Uint8Array.of(7)), index, proof }, { size, root })).toBe(true)
  const older = { size: 2 ** 33 + 1, root: await rootOf(2 ** 33 + 1, read) }
  expect(verifyConsistency(older, { size, root }, await proveConsistency(older.size, size, read))).toBe(true)
})

test('error: leaves and sizes that the tree does not have', async () => {
  await expect(proveInclusion(3, 3, reader(LEAVES))).rejects.toThrow('leaf 3 is not in a tree of 3 leaves')
  await expect(proveConsistency(4, 3, reader(LEAVES))).rejects.toThrow(
    'a tree of 3 leaves has no older one of 4',
  )
  await expect(rootOf(1.5, reader(LEAVES))).rejects.toThrow(
    "a tree's size must be a whole number from 0 to 2^48",
  )
})
