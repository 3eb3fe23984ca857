import type { ChainError } from '../chainError.ts'
import { type AddressTable, createAddressTable } from '../columns/addressTable.ts'
import { createAssembly } from '../columns/assembly.ts'
import { joinSlices, type Slice, sliceRange } from '../columns/columnSlices.ts'
import { intersectRanges, newestFirstRounds, subtractRanges, unionRanges } from '../columns/ranges.ts'
import type { LogPart, TransferFilter } from '../logs/fetchLogs.ts'
import { type LogReading, readLogs } from '../logs/readLogs.ts'
import type { RpcPool } from '../rpc/rpcPool.ts'
import type { BlockRange, BlockRef, Heads, Hex, ReadOptions, TransferColumns } from '../types.ts'
import type { ChunkCache } from './chunkCache.ts'
import { createChunkList } from './chunkList.ts'
import { checkHead, extendTail, rereadFrom, type Tail, tailAbove, tailOf } from './tail.ts'

/** What a series answered. */
export type SeriesReading = {
  readonly columns: TransferColumns
  readonly ranges: readonly BlockRange[]
  readonly failure: ChainError | null
}

/** The transfers of one filter, remembered. */
export type Series = {
  /** Reads a range whose end is at or below `heads.latest`. One read at a time; others wait their turn. */
  read(
    range: BlockRange,
    heads: Heads,
    options: ReadOptions & { newestFirst?: boolean },
  ): Promise<SeriesReading>
  /** Rows of a finalized range that are held in full, else null; asks no RPC. */
  held(range: BlockRange): Promise<TransferColumns | null>
  bytes(): number
  flush(): Promise<void>
}

/** The head was replaced while the tail was read: take the heads again. */
export class HeadReplaced extends Error {
  override readonly name = 'HeadReplaced'
}

export type SeriesOptions = {
  readonly pool: RpcPool
  readonly filter: TransferFilter
  /** Name of the series on disk. */
  readonly name: string
  readonly cache: ChunkCache | null
  readonly seed: number
  readonly maxRows: number
  readonly concurrency?: number
  readonly getBlock: (block: number, options?: ReadOptions) => Promise<BlockRef>
}

/** Rounds in which a partial answer's blocks are read. */
const ROUNDS = 8
/** Rows from which copying a window at every question would cost more than holding it twice. */
const ASSEMBLED_ROWS = 50_000

/** Creates the series of one filter. */
export const createSeries = (options: SeriesOptions): Series => {
  const { pool, filter, cache, getBlock } = options
  const addresses: AddressTable = createAddressTable(options.seed)
  const chunks = createChunkList(options.name, cache, addresses)
  const assembly = createAssembly(addresses)
  let tail: Tail | null = null
  let turn: Promise<unknown> = Promise.resolve()

  const fetch = (gaps: readonly BlockRange[], read: ReadOptions): Promise<LogReading> =>
    readLogs({ ...options, pool, filter, addresses, gaps, read })

  const isCanonical = async (block: number, hash: Hex): Promise<boolean> =>
    (await getBlock(block)).hash === hash

  /** Reads the tail from `from` on; it is whole afterwards, or gone and the failure returned with what was read. */
  const readTail = async (
    from: number,
    to: number,
    heads: Heads,
    read: ReadOptions,
  ): Promise<Pick<LogReading, 'parts' | 'failure'>> => {
    const held = tail
    tail = null
    const start = held === null ? from : rereadFrom(held)
    const reading = await fetch([{ from: start, to: Math.max(start, to) }], read)
    if (reading.failure !== null) return reading
    const next = held === null ? tailOf(reading.parts, addresses) : extendTail(held, reading.parts, addresses)
    // Replaced below the checkpoint: all of it is read again.
    if (next === null) return readTail(from, to, heads, read)
    const head = checkHead(next, reading.parts, heads)
    const gone = head === 'silent' && (await getBlock(heads.latest.number, read)).hash !== heads.latest.hash
    if (gone || head === 'replaced') throw new HeadReplaced()
    if (held === null) assembly.drop()
    tail = next
    return { parts: [], failure: null }
  }

  /** Moves what has become final out of the tail. */
  const settle = (finalized: BlockRef) => {
    if (tail === null || tail.range.from > finalized.number) return
    const range = { from: tail.range.from, to: Math.min(tail.range.to, finalized.number) }
    const columns = joinSlices([sliceRange(tail.columns, range)], addresses)
    chunks.add(range, columns, range.to === finalized.number ? finalized.hash : null)
    tail = tailAbove(tail, finalized.number, addresses)
  }

  const keep = async (parts: readonly LogPart[], finalized: BlockRef, read: ReadOptions) => {
    for (const range of unionRanges(parts.map((part) => part.range))) {
      const inside = parts.filter((part) => intersectRanges(part.range, range))
      const columns = joinSlices(
        inside.map((part) => sliceRange(part.columns, part.range)),
        addresses,
      )
      const last = inside.at(-1)?.ends.last
      let endHash: Hex | null = range.to === finalized.number ? finalized.hash : null
      if (last?.number === range.to) endHash = last.hash
      if (endHash === null && cache !== null) {
        // Only the disk asks for it: rows are not lost when the RPC fails now.
        endHash = await getBlock(range.to, read).then(
          (block) => block.hash,
          () => null,
        )
      }
      chunks.add(range, columns, endHash)
    }
  }

  const readNow: Series['read'] = async (range, heads, { newestFirst = false, ...read }) => {
    const { finalized } = heads
    await chunks.open(isCanonical)
    let failure: ChainError | null = null
    // Of a tail that could not be read in time: good for a partial answer, not to be remembered.
    let loose: Slice[] = []
    let looseRanges: BlockRange[] = []
    if (range.to > finalized.number) {
      // The tail first: what has become final of it need not be asked for again.
      const from = Math.max(range.from, finalized.number + 1)
      if (tail !== null && (tail.range.from > from || tail.range.to + 1 < from)) tail = null
      const reading = await readTail(from, range.to, heads, read)
      failure = reading.failure
      if (failure === null) settle(finalized)
      else if (newestFirst) {
        const asked = { from, to: range.to }
        const inside = reading.parts.filter((part) => intersectRanges(part.range, asked))
        loose = inside.map(({ columns }) => sliceRange(columns, asked))
        looseRanges = inside.flatMap((part) => intersectRanges(part.range, asked) ?? [])
      }
    }
    const final = intersectRanges(range, { from: 0, to: finalized.number })
    if (final !== null) await chunks.load(final)
    if (final !== null && failure === null) {
      const gaps = subtractRanges(final, chunks.ranges())
      failure = await readGaps(newestFirst ? newestFirstRounds(gaps, ROUNDS) : [gaps], finalized, read)
    }
    const covered = [...chunks.ranges(), ...(tail ? [tail.range] : [])].map((held) =>
      intersectRanges(held, range),
    )
    const slices = chunks.slices(range)
    const above = tail && intersectRanges(tail.range, range)
    if (tail && above) slices.push(sliceRange(tail.columns, above))
    slices.push(...loose)
    const ranges = unionRanges([...covered.filter((held) => held !== null), ...looseRanges])
    const rows = slices.reduce((sum, { from, to }) => sum + to - from, 0)
    const isWhole = failure === null && subtractRanges(range, ranges).length === 0
    const columns =
      isWhole && rows >= ASSEMBLED_ROWS ? assembly.view(range, slices) : joinSlices(slices, addresses)
    return { columns, ranges, failure }
  }

  const readGaps = async (
    rounds: readonly (readonly BlockRange[])[],
    finalized: BlockRef,
    read: ReadOptions,
  ) => {
    for (const gaps of rounds) {
      if (gaps.length === 0) continue
      const reading = await fetch(gaps, read)
      await keep(reading.parts, finalized, read)
      if (reading.failure !== null) return reading.failure
    }
    return null
  }

  return {
    read(range, heads, read) {
      const mine = turn.then(() => readNow(range, heads, read))
      turn = mine.catch(() => undefined)
      return mine
    },
    async held(range) {
      await chunks.load(range)
      if (subtractRanges(range, chunks.ranges()).length > 0) return null
      return joinSlices(chunks.slices(range), addresses)
    },
    bytes: () => chunks.bytes() + assembly.bytes() + addresses.words().byteLength,
    flush: chunks.flush,
  }
}
