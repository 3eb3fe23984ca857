import { HASH_BYTES, hashTile, TILE_WIDTH } from '@touchstone402/transparency'
import type { TilePlace } from '../ports/log.ts'

/** A tile that has grown, whole. */
export type GrownTile = TilePlace & { readonly hashes: Buffer }

/**
 * Adds leaf hashes to a tree and returns the tiles that have changed.
 * @param size number of leaves before
 * @param readTile reads a tile that is there, the last of its level
 */
export async function growTree(
  size: number,
  leafHashes: readonly Uint8Array[],
  readTile: (place: TilePlace) => Promise<Uint8Array | undefined>,
): Promise<GrownTile[]> {
  const grown: GrownTile[] = []
  let first = size
  let added: readonly Uint8Array[] = leafHashes
  for (let level = 0; added.length > 0; level++) {
    const full: Uint8Array[] = []
    for (let at = 0; at < added.length; ) {
      const index = Math.floor((first + at) / TILE_WIDTH)
      const from = (first + at) % TILE_WIDTH
      const taken = added.slice(at, at + TILE_WIDTH - from)
      const before = from === 0 ? NOTHING : await readTile({ level, index })
      if (before?.length !== from * HASH_BYTES) throw new Error(`tile ${index} of level ${level} is damaged`)
      const hashes = Buffer.concat([before, ...taken])
      grown.push({ level, index, hashes })
      if (from + taken.length === TILE_WIDTH) full.push(hashTile(hashes, 0, TILE_WIDTH))
      at += taken.length
    }
    first = Math.floor(first / TILE_WIDTH)
    added = full
  }
  return grown
}

const NOTHING = new Uint8Array()
