import type { ChainError } from '../chainError.ts'
import { createAddressTable } from '../columns/addressTable.ts'
import { intersectRanges, newestFirstRounds, subtractRanges, unionRanges } from '../columns/ranges.ts'
import { createRowBuffer } from '../columns/rowBuffer.ts'
import { joinSlices, type Slice, sliceRange } from '../columns/rowStore.ts'
import { isWholeToken, type LogPart } from '../logs/fetchLogs.ts'
import { type LogReaderOptions, type LogReading, readLogs } from '../logs/readLogs.ts'
import { notFungible } from '../tokenError.ts'
import type { BlockRange, BlockRef, Heads, Hex, ReadOptions, TransferColumns } from '../types.ts'
import type { ChunkCache } from './chunkCache.ts'
import { createChunkList } from './chunkList.ts'
import { compareReadings, firstReadingOf, firstReadingUpTo, planSecondReadings } from './secondReading.ts'
import { checkHead, extendTail, rereadFrom, type Tail, tailAbove, tailOf } from './tail.ts'

/** Result of reading a series. */
export type SeriesReading = {
  readonly columns: TransferColumns
  readonly ranges: readonly BlockRange[]
  /** Whether a second reading agreed on every finalized block of the range. */
  readonly isConfirmed: boolean
  readonly failure: ChainError | null
}

/** Cached transfers of one filter. */
export type Series = {
  /**
   * Reads a range whose end is at or below `heads.latest`. Reads are serialised.
   *
   * @throws TokenError if the token logs transfers of ERC-721 and none of ERC-20. An ERC-404 token logs both.
   */
  read(
    range: BlockRange,
    heads: Heads,
    options: ReadOptions & { newestFirst?: boolean },
  ): Promise<SeriesReading>
  /** Returns the rows of a finalized range from the cache; null unless all of it is cached and was confirmed. */
  held(range: BlockRange): Promise<TransferColumns | null>
  /** Returns the first of the finalized blocks that are cached without a gap up to `block`; `block + 1` if none is. */
  heldFrom(block: number): Promise<number>
  bytes(): number
  flush(): Promise<void>
}

/** The head was replaced during a read. The caller refreshes the heads and retries. */
export class HeadReplaced extends Error {
  override readonly name = 'HeadReplaced'
}

/** Options of one series. */
export type SeriesOptions = Pick<LogReaderOptions, 'pool' | 'filter' | 'maxRows'> & {
  /** Name of the series on disk. */
  readonly name: string
  readonly cache: ChunkCache | null
  /** Seed of the address table. */
  readonly seed: number
  readonly getBlock: (block: number, options?: ReadOptions) => Promise<BlockRef>
  /** Unix time in ms. */
  readonly now: () => number
}

/** Rounds in which a partial answer is read. */
const ROUNDS = 8
/** Rows above which a second copy in memory is cheaper than copying a window on every read. */
const BUFFERED_ROWS = 50_000

/** Creates the series of one filter. */
export function createSeries(options: SeriesOptions): Series {
  const { cache, getBlock, now, pool } = options
  const addresses = createAddressTable(options.seed)
  const chunks = createChunkList(options.name, cache, addresses)
  const buffer = createRowBuffer(addresses)
  let tail: Tail | null = null
  let turn: Promise<unknown> = Promise.resolve()

  // Whether the token has logged a transfer of ERC-20: an ERC-404 token may log some of ERC-721 on their own.
  let isFungible = !isWholeToken(options.filter)

  const fetch = async (
    gaps: readonly BlockRange[],
    heads: Heads,
    read: ReadOptions,
    way: Pick<LogReaderOptions, 'provesSilence'> = {},
  ): Promise<LogReading> => {
    const reading = await readLogs({ ...options, ...way, addresses, gaps, heads, read })
    isFungible ||= reading.parts.some(({ columns }) => columns.count > 0)
    if (!isFungible && reading.parts.some(({ nfts }) => nfts > 0)) throw notFungible(options.filter.token)
    return reading
  }

  const isCanonical = async (block: number, hash: Hex): Promise<boolean> =>
    (await getBlock(block)).hash === hash

  /** Reads the tail from `from` on. On failure it drops the tail and returns the parts that were read. */
  const readTail = async (from: number, to: number, heads: Heads, read: ReadOptions): Promise<LogReading> => {
    const held = tail
    tail = null
    const start = held === null ? from : rereadFrom(held)
    const gap = { from: start, to: Math.max(start, to) }
    const reading = await fetch([gap], heads, read, { provesSilence: true })
    if (reading.failure !== null) return reading
    const next =
      held === null
        ? tailOf(reading.parts, addresses, now())
        : extendTail(held, reading.parts, addresses, now())
    // A reorganisation reached below the checkpoint: read all of the tail again.
    if (next === null) return readTail(from, to, heads, read)
    const head = checkHead(next, reading.parts, heads)
    const gone = head === 'silent' && (await getBlock(heads.latest.number, read)).hash !== heads.latest.hash
    if (gone || head === 'replaced') throw new HeadReplaced()
    if (held === null) buffer.drop()
    tail = next
    return { parts: [], failure: null }
  }

  /** Moves newly finalized rows from the tail to the chunks. */
  const settle = (finalized: BlockRef) => {
    if (tail === null || tail.range.from > finalized.number) return
    const range = { from: tail.range.from, to: Math.min(tail.range.to, finalized.number) }
    const columns = joinSlices([sliceRange(tail.columns, range)], addresses)
    const endHash = range.to === finalized.number ? finalized.hash : null
    chunks.add(range, columns, endHash, firstReadingUpTo(tail.readings, range.to))
    tail = tailAbove(tail, finalized.number, addresses)
  }

  /** Hash of the last block of a range that was read. Only the disk cache needs it, so a failed look-up is null. */
  const endHashOf = async (
    to: number,
    part: LogPart | undefined,
    finalized: BlockRef,
    read: ReadOptions,
  ): Promise<Hex | null> => {
    const last = part?.ends.last
    if (last?.number === to) return last.hash
    if (to === finalized.number) return finalized.hash
    if (cache === null) return null
    // Outside the allowance: without the hash, what was read could not be kept.
    return getBlock(to, { ...read, allowance: undefined }).then(
      (block) => block.hash,
      () => null,
    )
  }

  const keep = async (
    parts: readonly LogPart[],
    finalized: BlockRef,
    read: ReadOptions,
    isDisputed: boolean,
  ) => {
    for (const range of unionRanges(parts.map((part) => part.range))) {
      const inside = parts.filter((part) => intersectRanges(part.range, range))
      const slices = inside.map((part) => sliceRange(part.columns, part.range))
      const endHash = await endHashOf(range.to, inside.at(-1), finalized, read)
      const first = firstReadingOf(inside, now())
      // RPCs that disagree would do so again at once.
      const by = isDisputed ? null : first.by
      // A node that is behind leaves out the newest rows: two of them would agree while a later row is known.
      const isConfirmed = inside.every((part) => part.isEmptyTwice) && laterRow(range.to) === null
      chunks.add(range, joinSlices(slices, addresses), endHash, isConfirmed ? null : { ...first, by })
    }
  }

  const readGaps = async (
    rounds: readonly (readonly BlockRange[])[],
    heads: Heads,
    read: ReadOptions,
    isDisputed = false,
  ): Promise<ChainError | null> => {
    for (const gaps of rounds) {
      if (gaps.length === 0) continue
      const reading = await fetch(gaps, heads, read)
      await keep(reading.parts, heads.finalized, read, isDisputed)
      if (reading.failure !== null) return reading.failure
    }
    return null
  }

  /** Returns the block of the first row after a block, as far as the blocks between are held; null if none is known. */
  const laterRow = (block: number): number | null => {
    const held = chunks.ranges().filter((range) => range.to > block)
    const whole = unionRanges(tail === null ? held : [...held, tail.range])
    const next = whole.find((range) => range.from <= block + 1)
    if (next === undefined || next.to <= block) return null
    const after = { from: block + 1, to: next.to }
    const [row] = [...chunks.slices(after), ...(tail === null ? [] : [sliceRange(tail.columns, after)])]
      .filter(({ from, to }) => from < to)
      .map(({ columns, from }) => columns.block[from] ?? null)
    return row ?? null
  }

  /** Reads finalized blocks a second time where that is due. Returns whether some of them differed and were dropped. */
  const confirm = async (final: BlockRange, heads: Heads, read: ReadOptions): Promise<boolean> => {
    const { deadlineAt } = read
    // The answer needs the rest of the time.
    const half = deadlineAt && { ...read, deadlineAt: (now() + deadlineAt) / 2 }
    let isDropped = false
    for (const plan of planSecondReadings(chunks.unconfirmed(final), now(), pool.size)) {
      const { range } = plan
      const later = laterRow(range.to)
      const reading = await readLogs({
        ...options,
        addresses,
        heads,
        read: half || read,
        gaps: [{ from: range.from, to: later ?? range.to }],
        provesSilence: true,
        except: pool.members.find((member) => member.ordinal === plan.except),
        rounds: 1,
      }).catch(() => null)
      if (reading === null) continue
      const { equal, unequal } = compareReadings(plan, reading.parts, later, chunks.slices, addresses)
      for (const block of [...equal, ...unequal].flatMap(({ from, to }) => [from - 1, to]))
        await chunks.split(block, () => endHashOf(block, undefined, heads.finalized, read))
      for (const same of equal) chunks.confirm(same)
      for (const other of unequal) chunks.drop(other)
      isDropped ||= unequal.length > 0
    }
    if (isDropped) buffer.drop()
    return isDropped
  }

  const readNow: Series['read'] = async (range, heads, { newestFirst = false, ...read }) => {
    const { finalized } = heads
    await chunks.open(isCanonical)
    let failure: ChainError | null = null
    // Parts of a tail that was not read in full: used for a partial answer, never cached.
    let loose: readonly LogPart[] = []
    const above = intersectRanges(range, { from: finalized.number + 1, to: range.to })
    if (above !== null) {
      // The tail comes first: what has become final in it is not fetched again.
      if (tail !== null && (tail.range.from > above.from || tail.range.to + 1 < above.from)) tail = null
      const reading = await readTail(above.from, above.to, heads, read)
      failure = reading.failure
      if (failure === null) settle(finalized)
      else if (newestFirst) loose = reading.parts.filter((part) => intersectRanges(part.range, above))
    }
    const final = intersectRanges(range, { from: 0, to: finalized.number })
    if (final !== null) await chunks.load(final)
    if (final !== null && failure === null) {
      const gaps = subtractRanges(final, chunks.ranges())
      failure = await readGaps(newestFirst ? newestFirstRounds(gaps, ROUNDS) : [gaps], heads, read)
    }
    if (final !== null && failure === null && (await confirm(final, heads, read)))
      failure = await readGaps([subtractRanges(final, chunks.ranges())], heads, read, true)
    // Recent parts count above the finalized head only: below it they are unverified, or overlap the chunks.
    const recent = [...(tail === null ? [] : [tail]), ...loose].flatMap((part) => {
      const shared = above === null ? null : intersectRanges(part.range, above)
      return shared === null ? [] : { range: shared, columns: part.columns }
    })
    const slices: Slice[] = [
      ...chunks.slices(range),
      ...recent.map((part) => sliceRange(part.columns, part.range)),
    ]
    const settled = chunks.ranges().flatMap((held) => intersectRanges(held, range) ?? [])
    const ranges = unionRanges([...settled, ...recent.map((part) => part.range)])
    const rows = slices.reduce((sum, { from, to }) => sum + to - from, 0)
    isFungible ||= rows > 0
    const isWhole = failure === null && subtractRanges(range, ranges).length === 0
    const columns =
      isWhole && rows >= BUFFERED_ROWS ? buffer.view(range, slices) : joinSlices(slices, addresses)
    return {
      columns,
      ranges,
      isConfirmed: chunks.unconfirmed(range).length === 0,
      failure,
    }
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
      if (chunks.unconfirmed(range).length > 0) return null
      return joinSlices(chunks.slices(range), addresses)
    },
    async heldFrom(block) {
      const range = { from: 0, to: block }
      await chunks.open(isCanonical)
      await chunks.load(range)
      return (subtractRanges(range, chunks.ranges()).at(-1)?.to ?? -1) + 1
    },
    bytes: () => chunks.bytes() + buffer.bytes() + addresses.words().byteLength,
    flush: chunks.flush,
  }
}
