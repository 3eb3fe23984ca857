import { HASH_BYTES, hashNode } from './hash.ts'
import type { ReadSubtrees, Subtree } from './tree.ts'

/** Hashes of a full tile, and entries of a full bundle. */
export const TILE_WIDTH = 256
/** Levels of the tree that one tile spans. */
const TILE_HEIGHT = 8
/** Largest level of a tile (C2SP tlog-tiles). */
const MAX_TILE_LEVEL = 63

/** A tile of hashes, or with the level `entries` a bundle of entries (C2SP tlog-tiles). */
export type Tile = {
  readonly level: number | 'entries'
  readonly index: number
  /** 1-256; below 256 the tile is partial. */
  readonly width: number
}

/** Reads tiles, in their order. Rejects if one is missing or of another length. */
export type ReadTiles = (tiles: readonly Tile[]) => Promise<readonly Uint8Array[]>

/** Returns the path of a tile below the log's prefix, such as `tile/0/x001/234.p/5`. */
export function tilePath({ level, index, width }: Tile): string {
  const groups = [`${index % 1000}`.padStart(3, '0')]
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000)) {
    groups.unshift(`x${`${rest % 1000}`.padStart(3, '0')}`)
  }
  return `tile/${level}/${groups.join('/')}${width === TILE_WIDTH ? '' : `.p/${width}`}`
}

/** Returns the path of a bundle of entries in a log of a size. */
export function bundlePath(index: number, size: number): string {
  return tilePath({ level: 'entries', index, width: tileWidth('entries', index, size) })
}

const PATH =
  /^tile\/(entries|[0-9]|[1-5][0-9]|6[0-3])\/((?:x[0-9]{3}\/){0,4}[0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/

/** Parses the path of a tile below the log's prefix; undefined unless it is exactly as `tilePath` writes it. */
export function parseTilePath(path: string): Tile | undefined {
  const [, level, digits = '', width] = PATH.exec(path) ?? []
  if (level === undefined) return undefined
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(digits.replace(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  }
  return tilePath(tile) === path && tile.width <= TILE_WIDTH ? tile : undefined
}

/** Returns the width of a tile in a tree of a size; 0 if the tree does not have it. */
export function tileWidth(level: Tile['level'], index: number, size: number): number {
  const height = level === 'entries' ? 0 : level
  if (height > MAX_TILE_LEVEL) return 0
  const hashes = Math.floor(size / TILE_WIDTH ** height) - index * TILE_WIDTH
  return Math.min(Math.max(hashes, 0), TILE_WIDTH)
}

/** Reads subtrees of a tree of a size from its tiles, each tile once a call. */
export function readFromTiles(size: number, readTiles: ReadTiles): ReadSubtrees {
  return async (subtrees) => {
    const places = subtrees.map((subtree) => placeOf(subtree, size))
    const tiles = new Map(places.map(({ tile }) => [tilePath(tile), tile]))
    const bytes = await readTiles([...tiles.values()])
    const known = new Map([...tiles.keys()].map((path, index) => [path, bytes[index]]))
    return places.map(({ tile, from, count }) => {
      const hashes = known.get(tilePath(tile))
      if (hashes?.length !== tile.width * HASH_BYTES) throw new RangeError(`${tilePath(tile)} is incomplete`)
      return hashTile(hashes, from, count)
    })
  }
}

/** Returns the tile that holds a subtree, and which of its hashes are the subtree's. */
function placeOf({ level, index }: Subtree, size: number) {
  const tileLevel = Math.floor(level / TILE_HEIGHT)
  const count = 2 ** (level % TILE_HEIGHT)
  const first = index * count
  const tileIndex = Math.floor(first / TILE_WIDTH)
  const tile = { level: tileLevel, index: tileIndex, width: tileWidth(tileLevel, tileIndex, size) }
  return { tile, from: first % TILE_WIDTH, count }
}

/** Hashes `count` hashes of a tile, a power of two, to the root of their subtree. */
export function hashTile(hashes: Uint8Array, from: number, count: number): Uint8Array {
  let level: Uint8Array[] = []
  for (let at = from; at < from + count; at++)
    level.push(hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES))
  while (level.length > 1) {
    const above: Uint8Array[] = []
    for (let at = 0; at + 1 < level.length; at += 2) {
      above.push(hashNode(level[at] ?? NOTHING, level[at + 1] ?? NOTHING))
    }
    level = above
  }
  // A copy, since one hash alone is a view of the tile.
  return new Uint8Array(level[0] ?? NOTHING)
}

const NOTHING = new Uint8Array()
