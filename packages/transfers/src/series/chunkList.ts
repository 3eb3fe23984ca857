import type { AddressTable } from '../columns/addressTable.ts'
import { intersectRanges, subtractRanges } from '../columns/ranges.ts'
import { columnBytes, joinSlices, type Slice, sliceRange } from '../columns/rowStore.ts'
import type { BlockRange, Hex, TransferColumns } from '../types.ts'
import type { ChunkCache, ChunkEntry } from './chunkCache.ts'
import type { FirstReading, Unconfirmed } from './secondReading.ts'

/** A finalized range, in memory, on disk, or both. */
type Chunk = {
  readonly range: BlockRange
  readonly endHash: Hex | null
  /** The only reading of the rows so far; null once a second one agreed. */
  readonly first: FirstReading | null
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
  /** Adds finalized rows that are not held yet. Without `endHash` they stay in memory only. `first` as in a chunk. */
  add(range: BlockRange, columns: TransferColumns, endHash: Hex | null, first: FirstReading | null): void
  /** Returns the blocks of a range that were read once. */
  unconfirmed(range: BlockRange): Unconfirmed[]
  /** Splits a chunk that was read once behind a block, so that its halves can be confirmed or dropped alone. */
  split(block: number, endHash: () => Promise<Hex | null>): Promise<void>
  /** Notes that a second reading of a range agreed. Chunks are not split. */
  confirm(range: BlockRange): void
  /** Forgets chunks of a range that were read once, also on disk. Chunks are not split. */
  drop(range: BlockRange): void
  /** Returns the rows of a range that are in memory, in order. */
  slices(range: BlockRange): Slice[]
  bytes(): number
  /** Resolves after all writes. */
  flush(): Promise<void>
}

/** Small adjacent chunks that were confirmed are merged up to this many rows, to avoid thousands of small files. */
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
    const { range, columns, endHash, first } = chunk
    if (cache === null || columns === null || endHash === null) return
    writing = writing.then(async () => {
      // It was merged in the meantime: the merged chunk is written instead.
      if (!chunks.includes(chunk)) return
      chunk.entry = await cache.save(series, { range, endHash, first }, columns)
      if (chunk.entry !== null)
        for (const { entry } of replaced) if (entry !== null) await cache.remove(entry)
    })
  }

  const insert = (chunk: Chunk) => {
    const { range } = chunk
    let joined = chunk
    const replaced: Chunk[] = []
    for (const neighbour of chunks) {
      const isBefore = neighbour.range.to + 1 === range.from
      const isAfter = neighbour.range.from === range.to + 1 && neighbour.endHash !== null
      if (joined.first !== null || neighbour.first !== null) continue
      if (!(isBefore || isAfter) || neighbour.columns === null || joined.columns === null) continue
      if (neighbour.columns.count + joined.columns.count > JOIN_ROWS) continue
      const [first, last] = isBefore ? [neighbour, joined] : [joined, neighbour]
      const slices = [first, last].flatMap((part) =>
        part.columns ? [sliceRange(part.columns, part.range)] : [],
      )
      joined = {
        range: { from: first.range.from, to: last.range.to },
        endHash: last.endHash,
        first: null,
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

  /** Takes out the chunks within a range that were read once. Their files go before others are written. */
  const takeOut = (range: BlockRange): Chunk[] => {
    const taken = chunks.filter(
      (chunk) =>
        chunk.first !== null &&
        chunk.columns !== null &&
        chunk.range.from >= range.from &&
        chunk.range.to <= range.to,
    )
    chunks = chunks.filter((chunk) => !taken.includes(chunk))
    writing = writing.then(async () => {
      for (const { entry } of taken) if (entry !== null) await cache?.remove(entry)
    })
    return taken
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
      else
        chunks.push({
          range: entry.range,
          endHash: entry.endHash,
          first: entry.first,
          columns: null,
          entry,
        })
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
    add(range, columns, endHash, first) {
      const missing = subtractRanges(
        range,
        chunks.map((chunk) => chunk.range),
      )
      for (const gap of missing) {
        const whole = gap.from === range.from && gap.to === range.to
        const part = whole ? columns : joinSlices([sliceRange(columns, gap)], addresses)
        insert({
          range: gap,
          endHash: gap.to === range.to ? endHash : null,
          first,
          columns: part,
          entry: null,
        })
      }
    },
    unconfirmed: (range) =>
      chunks.flatMap((chunk) => {
        const shared = intersectRanges(chunk.range, range)
        return shared && chunk.first ? [{ range: shared, first: chunk.first }] : []
      }),
    async split(block, endHash) {
      const isCut = ({ range, first, columns }: Chunk) =>
        first !== null && columns !== null && range.from <= block && block < range.to
      if (!chunks.some(isCut)) return
      const hash = await endHash()
      const whole = chunks.find(isCut)
      if (whole === undefined) return
      takeOut(whole.range)
      const halves = [
        { range: { from: whole.range.from, to: block }, endHash: hash },
        { range: { from: block + 1, to: whole.range.to }, endHash: whole.endHash },
      ]
      for (const half of halves) {
        const rows = whole.columns === null ? [] : [sliceRange(whole.columns, half.range)]
        insert({
          ...half,
          first: whole.first,
          columns: joinSlices(rows, addresses),
          entry: null,
        })
      }
    },
    confirm(range) {
      for (const chunk of takeOut(range))
        insert({
          ...chunk,
          first: null,
          entry: null,
        })
    },
    drop(range) {
      takeOut(range)
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
