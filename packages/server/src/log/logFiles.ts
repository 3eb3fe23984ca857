import { encodeEntries, HASH_BYTES, type Tile, tileWidth } from '@touchstone402/transparency'
import type { LogStore } from '../ports/log.ts'

/** Returns the bytes of a tile, or of a bundle of entries; undefined if the published checkpoint does not cover it. */
export async function readTile(log: LogStore, tile: Tile): Promise<Uint8Array | undefined> {
  const range = await rangeOf(log, tile)
  if (range === undefined) return undefined
  if (tile.level === 'entries') {
    const entries = await log.entries(range.from, range.to)
    return encodeEntries(entries.map(({ leaf }) => Buffer.from(leaf)))
  }
  const [hashes] = await log.tiles([{ level: tile.level, index: tile.index }])
  return hashes?.subarray(0, tile.width * HASH_BYTES)
}

/** Returns the openings of a bundle of entries, one a line; undefined if the published checkpoint does not cover it. */
export async function readOpenings(log: LogStore, tile: Tile): Promise<string | undefined> {
  const range = await rangeOf(log, tile)
  if (range === undefined) return undefined
  const entries = await log.entries(range.from, range.to)
  // An empty line: the leaf has no opening, or it was deleted.
  return entries.map(({ opening }) => `${opening ?? ''}\n`).join('')
}

/** Returns the entries of a tile's first level if the published checkpoint covers the tile. */
async function rangeOf(log: LogStore, tile: Tile): Promise<{ from: number; to: number } | undefined> {
  const size = (await log.head())?.size ?? 0
  if (tile.width > tileWidth(tile.level, tile.index, size)) return undefined
  const from = tile.index * 256
  return { from, to: from + tile.width }
}
