import { hashLeaf } from '../tree/hash.ts'
import { type GrownTile, growTree } from './growTree.ts'
import type { LogHead, LogStorage, TilePlace } from './storage.ts'

/** A log in memory, for tests and examples. */
export type MemoryLog = LogStorage & {
  /** Adds an entry, which waits for its place. */
  add(entry: Uint8Array): void
}

/** Creates a log that lives as long as the process. */
export function createMemoryLog(): MemoryLog {
  const placed: Uint8Array[] = []
  const tiles = new Map<string, GrownTile>()
  let waiting: Uint8Array[] = []
  let newest: LogHead | null = null
  const keyOf = ({ level, index }: TilePlace) => `${level} ${index}`
  const readTile = async (place: TilePlace) => tiles.get(keyOf(place))?.hashes
  return {
    add: (entry) => void waiting.push(entry),
    async sequence(limit) {
      const taken = waiting.slice(0, limit)
      for (const tile of await growTree(placed.length, taken.map(hashLeaf), readTile))
        tiles.set(keyOf(tile), tile)
      placed.push(...taken)
      waiting = waiting.slice(taken.length)
      return taken.length
    },
    size: async () => placed.length,
    tiles: (places) => Promise.all(places.map(readTile)),
    entries: async (from, to) => placed.slice(from, to),
    head: async () => newest,
    async putHead(head) {
      if (newest === null || head.size >= newest.size) newest = head
    },
  }
}
