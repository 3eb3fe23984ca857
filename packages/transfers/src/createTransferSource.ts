import { randomInt } from 'node:crypto'
import { ChainError } from './chainError.ts'
import { createLabels } from './figures/labels.ts'
import { isWholeToken, type TransferFilter } from './logs/fetchLogs.ts'
import type { KnownFunders } from './readFunders.ts'
import { readReceiverFacts } from './readReceiverFacts.ts'
import { createBlockClock } from './rpc/blockClock.ts'
import { createBlockReader } from './rpc/blockReader.ts'
import { createCodeReader } from './rpc/codeReader.ts'
import { createHeadReader } from './rpc/headReader.ts'
import { createRpcPool, type RpcPoolOptions } from './rpc/rpcPool.ts'
import { countAs } from './rpc/rpcPurpose.ts'
import { createTokenReader } from './rpc/tokenReader.ts'
import { createChunkCache } from './series/chunkCache.ts'
import { createHeldSeries } from './series/heldSeries.ts'
import { createSeries, HeadReplaced, type Series, type SeriesReading } from './series/series.ts'
import type { BlockRange, Finality, Heads, TransferQuery, TransferSource } from './types.ts'

/** Options of a transfer source. All RPCs must be on this chain and agree on finalized blocks. */
export type TransferSourceOptions = RpcPoolOptions & {
  /** Folder for finalized transfers. @default none: they are kept in memory only */
  readonly cacheFolder?: string
}

/** Maximum bytes of transfers in memory. The least recently used series are evicted. */
const MAX_MEMORY = 512 * 1024 * 1024
/** Maximum bytes of finalized transfers on disk. */
const MAX_CACHE = 2 * 1024 ** 3
/** Maximum series in memory: a crawl reads two for each receiver, which are on disk when it comes back. */
const MAX_SERIES = 512
/** Maximum rows of one answer. */
const MAX_ROWS = 4_000_000
const ATTEMPTS = 4

/** Names a series. Those of whole tokens once held no deposits, so files of their old name must not be read. */
const nameOf = (filter: TransferFilter): string =>
  [
    filter.token,
    isWholeToken(filter) && 'supply',
    filter.from && `from-${filter.from}`,
    filter.to && `to-${filter.to}`,
  ]
    .filter(Boolean)
    .join('-')
    .toLowerCase()

function finalityOf(block: number, { finalized, safe }: Heads): Finality {
  if (block <= finalized.number) return 'finalized'
  return block <= safe.number ? 'safe' : 'latest'
}

/** Creates the transfer source of one chain. */
export function createTransferSource(options: TransferSourceOptions): TransferSource {
  if (options.urls.length === 0) throw new TypeError('A transfer source needs at least one RPC URL')
  const { chainId, cacheFolder, now } = options
  const pool = createRpcPool(options)
  const headReader = createHeadReader(pool, now)
  let lastHeads: Heads | null = null
  const blocks = createBlockReader(pool, createBlockClock(chainId), () => lastHeads)
  const tokens = createTokenReader(pool, now)
  const { isContract, contracts } = createCodeReader(pool, now)
  const cache =
    cacheFolder === undefined ? null : createChunkCache({ folder: cacheFolder, chainId, maxBytes: MAX_CACHE })
  const held = createHeldSeries<Series>({ maxBytes: MAX_MEMORY, maxSeries: MAX_SERIES })

  const heads: TransferSource['heads'] = async (read) => {
    lastHeads = await headReader.heads(read)
    return lastHeads
  }

  const useSeries = <Result>(filter: TransferFilter, work: (series: Series) => Promise<Result>) => {
    const name = nameOf(filter)
    const create = () => {
      const seed = randomInt(2 ** 32)
      return createSeries({
        ...options,
        pool,
        filter,
        name,
        cache,
        maxRows: MAX_ROWS,
        seed,
        getBlock: blocks.block,
      })
    }
    return held.use(name, create, work)
  }

  const readSeries = async (
    query: TransferQuery,
    range: BlockRange,
    series: Series,
  ): Promise<{ seen: Heads; reading: SeriesReading }> => {
    const { signal, deadlineAt, allowance, purpose, partial = false } = query
    const read = { signal, deadlineAt, allowance, purpose }
    for (let attempt = 1; ; attempt++) {
      const given = attempt === 1 ? query.heads : undefined
      const seen = given ?? (await heads({ ...read, fresh: attempt > 1 }))
      if (range.to > seen.latest.number)
        throw new ChainError('not_there_yet', `Block ${range.to} is above the head ${seen.latest.number}`)
      try {
        return { seen, reading: await series.read(range, seen, { ...read, newestFirst: partial }) }
      } catch (error) {
        if (!(error instanceof HeadReplaced)) throw error
        if (attempt === ATTEMPTS)
          throw new ChainError('disagreement', `The head was replaced during ${ATTEMPTS} consecutive reads`)
      }
    }
  }

  const transfers: TransferSource['transfers'] = async (query) => {
    const before = pool.requests()
    const range = { from: query.fromBlock, to: query.toBlock }
    if (!(Number.isSafeInteger(range.from) && range.from >= 0 && range.from <= range.to))
      throw new RangeError(`Invalid block range: ${range.from} to ${range.to}`)
    const { token, from, to } = query
    const { seen, reading } = await useSeries({ token, from, to }, (series) =>
      readSeries(query, range, series),
    )
    const { columns, ranges, isConfirmed, failure } = reading
    const truncated = failure?.code === 'too_large' || columns.count > MAX_ROWS
    if (failure !== null && !(query.partial && (failure.code === 'deadline' || truncated))) throw failure
    const [first] = ranges
    const coverage = {
      ranges,
      complete: isConfirmed && ranges.length === 1 && first?.from === range.from && first.to === range.to,
      truncated,
      finality: finalityOf(range.to, seen),
      heads: seen,
      requests: pool.requests() - before,
    }
    return { columns, coverage }
  }

  const blockAtOrBefore: TransferSource['blockAtOrBefore'] = async (time, read) =>
    blocks.atOrBefore(time, await heads(read), read)
  const { block, firstAfter: firstBlockAfter, times: blockTimes } = blocks
  const labels = createLabels(chainId)
  const knownFunders: KnownFunders = new Map()
  const heldFrom = (filter: TransferFilter, at: number) => useSeries(filter, (series) => series.heldFrom(at))
  const source: TransferSource = {
    chainId,
    heads,
    blockAtOrBefore,
    blockTimes,
    transfers,
    firstBlockAfter,
    isContract,
    contracts,
    held: ({ token, fromBlock, toBlock }) =>
      useSeries({ token }, (series) => series.held({ from: fromBlock, to: toBlock })),
    balanceAt: ({ token, holder, block: at, ...read }) => tokens.balance(token, holder, at, read),
    token: tokens.read,
    request: pool.call,
    rpcs: pool.members,
    receiver: (query) =>
      readReceiverFacts(
        { ...source, block, labels, heldFrom, knownFunders },
        { ...query, purpose: 'receivers' },
      ),
    countedAs: (purpose) => countAs(source, purpose),
    async close() {
      await Promise.all([pool.close(), ...held.all().map((series) => series.flush())])
    },
  }
  return source
}
