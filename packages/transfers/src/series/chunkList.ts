import type { AddressTable } from '../columns/addressTable.ts'
import { intersectRanges, subtractRanges } from '../columns/ranges.ts'
import { columnBytes, joinSlices, type Slice, sliceRange } from '../columns/rowStore.ts'
import type { BlockRange, Hex, TransferColumns } from '../types.ts'
import type { ChunkCache, ChunkEntry } from './chunkCache.ts'

/** A finalized range, in memory, on disk, or both. */
type Chunk = {
  readonly range: BlockRange
  readonly endHash: Hex | null
  columns: TransferColumns | null
  entry: ChunkEntry | null
}

/** Finalized ranges of one series, in memory and on disk. */
export type ChunkList = {
  /** Held ranges, ascending. */
  ranges(): BlockRange[]
  /** Opens the chunks on disk, once. `isCanonical` returns whether a block still has this hash. */
  open(isCanonical: (block: number, hash: Hex) => Promise<boolean>): Promise<void>
  /** Loads the chunks of a range into memory. A damaged chunk leaves a gap. */
  load(range: BlockRange): Promise<void>
  /** Adds finalized rows that are not held yet. Without `endHash` they stay in memory only. */
  add(range: BlockRange, columns: TransferColumns, endHash: Hex | null): void
  /** Returns the rows of a range that are in memory, in order. */
  slices(range: BlockRange): Slice[]
  bytes(): number
  /** Resolves after all writes. */
  flush(): Promise<void>
}

/** Small adjacent chunks are merged up to this many rows, to avoid thousands of small files. */
const JOIN_ROWS = 65_536

/** Creates the chunk list of one series. */
export function createChunkList(
  series: string,
  cache: ChunkCache | null,
  addresses: AddressTable,
): ChunkList {
  let chunks: Chunk[] = []
  let opened: Promise<void> | null = null
  let writing: Promise<void> = Promise.resolve()

  const persist = (chunk: Chunk, replaced: readonly Chunk[]) => {
    const { columns, endHash } = chunk
    if (cache === null || columns === null || endHash === null) return
    writing = writing.then(async () => {
      // It was merged in the meantime: the merged chunk is written instead.
      if (!chunks.includes(chunk)) return
      chunk.entry = await cache.save(series, chunk.range, endHash, columns)
      if (chunk.entry !== null)
        for (const { entry } of replaced) if (entry !== null) await cache.remove(entry)
    })
  }

  const insert = (range: BlockRange, columns: TransferColumns, endHash: Hex | null) => {
    let joined: Chunk = { range, endHash, columns, entry: null }
    const replaced: Chunk[] = []
    for (const neighbour of chunks) {
      const isBefore = neighbour.range.to + 1 === range.from
      const isAfter = neighbour.range.from === range.to + 1 && neighbour.endHash !== null
      if (!(isBefore || isAfter) || neighbour.columns === null || joined.columns === null) continue
      if (neighbour.columns.count + joined.columns.count > JOIN_ROWS) continue
      const [first, last] = isBefore ? [neighbour, joined] : [joined, neighbour]
      const slices = [first, last].flatMap((part) =>
        part.columns ? [sliceRange(part.columns, part.range)] : [],
      )
      joined = {
        range: { from: first.range.from, to: last.range.to },
        endHash: last.endHash,
        columns: joinSlices(slices, addresses),
        entry: null,
      }
      replaced.push(neighbour)
    }
    chunks = [...chunks.filter((chunk) => !replaced.includes(chunk)), joined].sort(
      (a, b) => a.range.from - b.range.from,
    )
    persist(joined, replaced)
  }

  const readEntries = async (isCanonical: (block: number, hash: Hex) => Promise<boolean>) => {
    if (cache === null) return
    const entries = await cache.list(series)
    const newest = entries.at(-1)
    if (newest === undefined) return
    // Same chain id, different hash: the chain was restarted.
    if (!(await isCanonical(newest.range.to, newest.endHash))) {
      for (const entry of entries) await cache.remove(entry)
      return
    }
    let next = 0
    for (const entry of entries) {
      // Left over from an interrupted merge: the larger chunk holds its rows.
      if (entry.range.from < next) await cache.remove(entry)
      else chunks.push({ range: entry.range, endHash: entry.endHash, columns: null, entry })
      next = Math.max(next, entry.range.to + 1)
    }
  }

  return {
    ranges: () => chunks.map((chunk) => chunk.range),
    open(isCanonical) {
      opened ??= readEntries(isCanonical).catch((error: unknown) => {
        opened = null
        throw error
      })
      return opened
    },
    async load(range) {
      for (const chunk of chunks) {
        if (chunk.columns !== null || chunk.entry === null || !intersectRanges(chunk.range, range)) continue
        chunk.columns = (await cache?.load(chunk.entry, addresses)) ?? null
        if (chunk.columns === null) chunks = chunks.filter((other) => other !== chunk)
      }
    },
    add(range, columns, endHash) {
      const missing = subtractRanges(
        range,
        chunks.map((chunk) => chunk.range),
      )
      for (const gap of missing) {
        const whole = gap.from === range.from && gap.to === range.to
        const part = whole ? columns : joinSlices([sliceRange(columns, gap)], addresses)
        insert(gap, part, gap.to === range.to ? endHash : null)
      }
    },
    slices: (range) =>
      chunks.flatMap((chunk) => {
        const shared = intersectRanges(chunk.range, range)
        return shared && chunk.columns ? [sliceRange(chunk.columns, shared)] : []
      }),
    bytes: () => chunks.reduce((sum, { columns }) => sum + (columns ? columnBytes(columns) : 0), 0),
    flush: () => writing,
  }
}
