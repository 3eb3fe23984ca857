import { HASH_BYTES } from '../tree/hash.ts'
import { hashTile, TILE_WIDTH } from '../tree/tiles.ts'
import type { TilePlace } from './storage.ts'

/** A tile that has grown, whole. */
export type GrownTile = TilePlace & { readonly hashes: Uint8Array }

/**
 * Adds leaf hashes to a tree and returns the tiles that have changed.
 * @param size number of leaves before
 * @param readTile reads a tile that is there, the last of its level
 * @throws Error if that tile is missing or of another length
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
      const hashes = new Uint8Array((from + taken.length) * HASH_BYTES)
      hashes.set(before)
      for (const [place, hash] of taken.entries()) hashes.set(hash, (from + place) * HASH_BYTES)
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
