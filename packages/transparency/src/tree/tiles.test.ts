import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeEntries, encodeEntries } from './entries.ts'
import { EMPTY_ROOT, hashLeaf, hashNode } from './hash.ts'
import { parseTilePath, readFromTiles, type Tile, tilePath, tileWidth } from './tiles.ts'
import { proveConsistency, proveInclusion, rootOf } from './tree.ts'
import { verifyConsistency, verifyInclusion } from './verify.ts'

/** Tiles of equal leaves: at each level all full hashes are equal. */
const leaf = Uint8Array.of(1)
async function readTiles(tiles: readonly Tile[]): Promise<Uint8Array[]> {
  return tiles.map(({ level, width }) => {
    let hash = hashLeaf(leaf)
    for (let height = 0; height < 8 * Number(level); height++) hash = hashNode(hash, hash)
    return new Uint8Array(Array.from({ length: width }, () => [...hash]).flat())
  })
}

test('default: paths of the specification', () => {
  expect(tilePath({ level: 0, index: 1_234_067, width: 256 })).toBe('tile/0/x001/x234/067')
  expect(tilePath({ level: 'entries', index: 0, width: 5 })).toBe('tile/entries/000.p/5')
})

test('behavior: a tree of 70,000 has the tiles that the specification counts', () => {
  const widths = (level: number) => {
    const found: number[] = []
    for (let index = 0; tileWidth(level, index, 70_000) > 0; index++)
      found.push(tileWidth(level, index, 70_000))
    return { full: found.filter((width) => width === 256).length, last: found.at(-1) }
  }
  expect([0, 1, 2, 3].map(widths)).toEqual([
    { full: 273, last: 112 },
    { full: 1, last: 17 },
    { full: 0, last: 1 },
    { full: 0, last: undefined },
  ])
  expect([tileWidth(0, 0, 256), tileWidth(1, 0, 256)]).toEqual([256, 1])
})

test('behavior: a path parses back, and only as it is written', () => {
  const tiles = fc.record({
    level: fc.oneof(fc.constant('entries' as const), fc.integer({ min: 0, max: 63 })),
    index: fc.integer({ min: 0, max: 10 ** 14 }),
    width: fc.integer({ min: 1, max: 256 }),
  })
  fc.assert(
    fc.property(tiles, (tile) => {
      expect(parseTilePath(tilePath(tile))).toEqual(tile)
    }),
  )
  for (const path of [
    'tile/00/000',
    'tile/64/000',
    'tile/0/1',
    'tile/0/x000/001',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/05',
    'tile/0/000/',
    '/tile/0/000',
    'tile/0/x001',
    'tile/entries/../000',
  ]) {
    expect(parseTilePath(path), path).toBeUndefined()
  }
})

test('behavior: proofs made from tiles verify', async () => {
  for (const size of [1, 255, 256, 257, 511, 65_535, 65_536, 70_000]) {
    const read = readFromTiles(size, readTiles)
    const root = await rootOf(size, read)
    for (const index of [0, Math.floor(size / 2), size - 1]) {
      const proof = await proveInclusion(index, size, read)
      expect(verifyInclusion({ leafHash: hashLeaf(leaf), index, proof }, { size, root })).toBe(true)
    }
    const from = Math.ceil(size / 3)
    const older = { size: from, root: await rootOf(from, readFromTiles(from, readTiles)) }
    expect(verifyConsistency(older, { size, root }, await proveConsistency(from, size, read))).toBe(true)
  }
})

test('error: a tile of another length', async () => {
  const read = readFromTiles(300, async (tiles) => tiles.map(() => new Uint8Array(64)))
  await expect(rootOf(300, read)).rejects.toThrow('tile/1/000.p/1 is incomplete')
})

test('behavior: bundles of entries', () => {
  const entries = [new Uint8Array(), Uint8Array.of(1, 2), new Uint8Array(65_535)]
  expect(decodeEntries(encodeEntries(entries))).toEqual(entries)
  expect(decodeEntries(encodeEntries(entries).slice(0, -1))).toBeUndefined()
  expect(decodeEntries(Uint8Array.of(0))).toBeUndefined()
  expect(() => encodeEntries([new Uint8Array(65_536)])).toThrow('an entry has at most 65535 bytes')
})

test('behavior: the empty tree', async () => {
  expect(await rootOf(0, readFromTiles(0, readTiles))).toEqual(EMPTY_ROOT)
})
