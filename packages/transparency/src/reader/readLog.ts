import { LogError } from '../checkpoint/logError.ts'
import { decodeEntries } from '../tree/entries.ts'
import { HASH_BYTES, hashLeaf } from '../tree/hash.ts'
import { bundlePath, type ReadTiles, readFromTiles, TILE_WIDTH, tilePath, tileWidth } from '../tree/tiles.ts'
import { proveConsistency, proveInclusion } from '../tree/tree.ts'
import { type TreeHead, verifyConsistency, verifyInclusion } from '../tree/verify.ts'

/** Reads a file of a log by its path below the log's prefix, such as `tile/0/000.p/5`. Rejects if there is none. */
export type ReadLogFile = (path: string) => Promise<Uint8Array>

/**
 * Checks that a tree continues an older one.
 * @throws LogError `inconsistent` if it does not, `wrong_tile` if its tiles are damaged
 */
export async function checkContinues(read: ReadLogFile, older: TreeHead, newer: TreeHead): Promise<void> {
  const isOlder = older.size <= newer.size
  const subtrees = readFromTiles(newer.size, readTilesBy(read))
  const proof = isOlder ? await proveConsistency(older.size, newer.size, subtrees).catch(asWrongTile) : []
  if (!verifyConsistency(older, newer, proof)) {
    throw new LogError(
      'inconsistent',
      `the tree of ${newer.size} leaves does not continue the one of ${older.size} that was seen before`,
    )
  }
}

/**
 * Reads the inclusion proof of an entry and verifies it.
 * @returns the hashes, from the entry's sibling up
 * @throws LogError `not_included`, or `wrong_tile` if a tile is damaged
 */
export async function readInclusion(
  read: ReadLogFile,
  index: number,
  entry: Uint8Array,
  head: TreeHead,
): Promise<readonly Uint8Array[]> {
  if (index >= head.size) throw new LogError('not_included', `the checkpoint does not cover leaf ${index}`)
  const subtrees = readFromTiles(head.size, readTilesBy(read))
  const proof = await proveInclusion(index, head.size, subtrees).catch(asWrongTile)
  if (!verifyInclusion({ leafHash: hashLeaf(entry), index, proof }, head)) {
    throw new LogError('not_included', `leaf ${index} is not the one that the checkpoint covers`)
  }
  return proof
}

/**
 * Reads a bundle of entries and verifies all of them.
 * @param index of the bundle, which has the entries from `256 * index` on
 * @throws LogError `not_included`, or `wrong_tile` if the bundle or a tile is damaged
 */
export async function readBundle(
  read: ReadLogFile,
  index: number,
  head: TreeHead,
): Promise<readonly Uint8Array[]> {
  const width = tileWidth('entries', index, head.size)
  const path = bundlePath(index, head.size)
  const entries = decodeEntries(await read(path))
  if (entries?.length !== width) throw new LogError('wrong_tile', `${path} is damaged`)
  const own = new Uint8Array(entries.flatMap((entry) => [...hashLeaf(entry)]))
  const ownPath = tilePath({ level: 0, index, width })
  // The tile is made from the entries, so the proof of one of them covers all.
  const tiles = readTilesBy((one) => (one === ownPath ? Promise.resolve(own) : read(one)))
  const first = index * TILE_WIDTH
  const proof = await proveInclusion(first, head.size, readFromTiles(head.size, tiles)).catch(asWrongTile)
  if (!verifyInclusion({ leafHash: own.subarray(0, HASH_BYTES), index: first, proof }, head)) {
    throw new LogError('not_included', `the entries from ${first} on are not those of the checkpoint`)
  }
  return entries
}

function readTilesBy(read: ReadLogFile): ReadTiles {
  return (tiles) => Promise.all(tiles.map((tile) => read(tilePath(tile))))
}

/** A tile of another length cannot be computed with. */
function asWrongTile(error: unknown): never {
  if (error instanceof RangeError) throw new LogError('wrong_tile', error.message, { cause: error })
  throw error
}
