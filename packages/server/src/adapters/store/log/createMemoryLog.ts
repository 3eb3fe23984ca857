import { hashLeaf, hashNode, type LeafText, TILE_WIDTH } from '@touchstone402/shared/log'
import type { NewLeaf } from '../../../domain/facts/leaves.ts'
import type { LogHead, LogStore } from '../../../ports/log.ts'
import type { Changed } from '../../../ports/store.ts'

/** A log in memory: the plainest thing that keeps the contract. */
export type MemoryLog = LogStore & { put(leaves: readonly NewLeaf[]): void }

/** Creates it. @param notify called for each endpoint whose newest leaf got its place */
export function createMemoryLog(notify: (changed: Changed) => void): MemoryLog {
  let waiting: NewLeaf[] = []
  const entries: LeafText[] = []
  const known = new Map<string, NewLeaf | number>()
  let head: LogHead | null = null

  const put = (leaves: readonly NewLeaf[]) => {
    for (const leaf of leaves) {
      if (leaf.once === true && known.has(leaf.key)) continue
      waiting.push(leaf)
      known.set(leaf.key, leaf)
    }
  }
  const hashAt = (level: number, index: number): Uint8Array =>
    level === 0
      ? hashLeaf(Buffer.from(entries[index]?.leaf ?? ''))
      : hashNode(hashAt(level - 1, 2 * index), hashAt(level - 1, 2 * index + 1))

  return {
    put,
    async add(leaves) {
      put(leaves)
    },
    async sequence(limit) {
      const taken = waiting.slice(0, limit)
      waiting = waiting.slice(limit)
      for (const leaf of taken) {
        if (known.get(leaf.key) === leaf) known.set(leaf.key, entries.length)
        entries.push({ leaf: leaf.leaf, opening: leaf.opening })
      }
      for (const { about } of taken) if (about) notify(about)
      return taken.length
    },
    size: async () => entries.length,
    countWaiting: async () => waiting.length,
    async find(key) {
      const place = known.get(key)
      return typeof place === 'object' ? null : place
    },
    tiles: async (places) =>
      places.map(({ level, index }) => {
        const hashes = Math.floor(entries.length / TILE_WIDTH ** level) - index * TILE_WIDTH
        if (hashes <= 0) return undefined
        const width = Math.min(hashes, TILE_WIDTH)
        return Buffer.concat(
          Array.from({ length: width }, (_, at) => hashAt(8 * level, index * TILE_WIDTH + at)),
        )
      }),
    entries: async (from, to) => entries.slice(from, to),
    async forget(index) {
      const entry = entries[index]
      if (entry === undefined || entry.opening === null) return false
      entries[index] = { leaf: entry.leaf, opening: null }
      return true
    },
    head: async () => head,
    async putHead(next) {
      head = next
    },
  }
}
