import { encodeEntries } from '../tree/entries.ts'
import { HASH_BYTES } from '../tree/hash.ts'
import { parseTilePath, TILE_WIDTH, type Tile, tileWidth } from '../tree/tiles.ts'
import type { LogStorage } from './storage.ts'

/**
 * Returns a file of a log as any web server can serve it (C2SP tlog-tiles); undefined if the published checkpoint does
 * not cover it.
 * @param path below the log's prefix, such as `checkpoint` or `tile/entries/000.p/5`
 */
export async function readLogFile(log: LogStorage, path: string): Promise<Uint8Array | undefined> {
  if (path === 'checkpoint') {
    const head = await log.head()
    return head === null ? undefined : new TextEncoder().encode(head.note)
  }
  const tile = parseTilePath(path)
  return tile && readTile(log, tile)
}

/** Returns the bytes of a tile, or of a bundle of entries; undefined if the published checkpoint does not cover it. */
export async function readTile(log: LogStorage, tile: Tile): Promise<Uint8Array | undefined> {
  const range = await rangeOf(log, tile)
  if (range === undefined) return undefined
  if (tile.level === 'entries') return encodeEntries(await log.entries(range.from, range.to))
  const [hashes] = await log.tiles([{ level: tile.level, index: tile.index }])
  return hashes?.subarray(0, tile.width * HASH_BYTES)
}

/** Returns the places of the entries of a bundle; undefined if the published checkpoint does not cover it. */
export async function rangeOf(
  log: Pick<LogStorage, 'head'>,
  { level, index, width }: Tile,
): Promise<{ readonly from: number; readonly to: number } | undefined> {
  const size = (await log.head())?.size ?? 0
  if (width > tileWidth(level, index, size)) return undefined
  const from = index * TILE_WIDTH
  return { from, to: from + width }
}

/** Yields all tiles and bundles of a log of a size. */
export function* listTiles(size: number): Iterable<Tile> {
  yield* tilesOf('entries', size)
  for (let level = 0; tileWidth(level, 0, size) > 0; level++) yield* tilesOf(level, size)
}

function* tilesOf(level: Tile['level'], size: number): Iterable<Tile> {
  for (let index = 0; ; index++) {
    const width = tileWidth(level, index, size)
    if (width === 0) return
    yield { level, index, width }
  }
}
