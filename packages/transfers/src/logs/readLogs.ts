import { ChainError } from '../chainError.ts'
import type { AddressTable } from '../columns/addressTable.ts'
import { unionRanges } from '../columns/ranges.ts'
import { createHalvedSize, type HalvedSize } from '../rpc/halvedSize.ts'
import type { Member, RpcPool } from '../rpc/rpcPool.ts'
import { parseQuantity, RpcFailure } from '../rpc/rpcReply.ts'
import type { BlockRange, Heads, ReadOptions } from '../types.ts'
import { dropEchoes } from './dropEchoes.ts'
import { fetchLogs, isWholeToken, type LogPart, type TransferFilter } from './fetchLogs.ts'
import { createRangePlanner, type RangePlanner } from './rangePlanner.ts'
import { createLogProof } from './requireLogs.ts'
import { confirmEmptyReply, type FetchRange, rejectCutReply } from './verifyLogs.ts'

/** Options of one read. */
export type LogReaderOptions = {
  readonly pool: RpcPool
  readonly filter: TransferFilter
  readonly addresses: AddressTable
  /** Heads of the chain as they were before the read: logs of them are asked for by their hashes. */
  readonly heads: Pick<Heads, 'latest' | 'finalized'>
  /** Ranges to read, ascending. */
  readonly gaps: readonly BlockRange[]
  /** Number of rows above which the read fails with `too_large`. */
  readonly maxRows: number
  readonly read: ReadOptions
  /**
   * Whether each reply but the last counts up to its last row only, and the blocks after it are read with the next ones,
   * one request at a time: a later row in the same reply proves that the RPC was not behind. @default false
   */
  readonly provesSilence?: boolean
  /** RPC that is not asked. @default none */
  readonly except?: Member | undefined
  /** Rounds over the RPCs before the read fails. @default that of the pool */
  readonly rounds?: number
}

/** Parts that were read, and the failure that ended the read early, if any. */
export type LogReading = { readonly parts: readonly LogPart[]; readonly failure: ChainError | null }

/** Maximum concurrent requests. */
const CONCURRENCY = 4
const TAIL_SHARE = 0.1
/** Ratio at which two densities count as different. */
const UNLIKE = 2
/** Consecutive successes that allow one more concurrent request. */
const RAMP = 4

/** Rows per block near the end of a range, over the newest tenth of the rows. */
function tailDensity({ columns, range }: LogPart): number {
  const rows = Math.ceil(columns.count * TAIL_SHARE)
  if (rows === 0) return 0
  const since = columns.block[columns.count - rows] ?? range.from
  return rows / Math.max(1, range.to - since + 1)
}

/**
 * Reads all gaps, concurrently once the first replies have shown the limits of the RPC.
 *
 * Never rejects for chain reasons: the parts read before a failure are returned with it.
 */
export async function readLogs(options: LogReaderOptions): Promise<LogReading> {
  const { pool, filter, addresses, read, maxRows, provesSilence = false, except, rounds } = options
  const proof = createLogProof(filter, options.heads, addresses, read)
  const planners = new Map<Member, RangePlanner>()
  const parts: LogPart[] = []
  let gaps: BlockRange[] = unionRanges(options.gaps)
  let rows = 0
  let failure: ChainError | null = null
  let successes = 0
  let lastDensity = 0
  // While nothing is known, or right after a refusal, a second request would only be refused as well.
  const room = () => (provesSilence ? 1 : Math.min(CONCURRENCY, 1 + Math.floor(successes / RAMP)))

  const fetch: FetchRange = (member, range) => fetchLogs(member, filter, range, addresses, read)

  const fetchProved: FetchRange = async (member, range) => {
    await requireHead(member, range.to, read)
    await proof.requireReach(member, range)
    return fetch(member, range)
  }

  const takeRange = (planner: RangePlanner): BlockRange | null => {
    const gap = gaps.shift()
    if (gap === undefined) return null
    const range = planner.plan(gap)
    if (range.to < gap.to) gaps.unshift({ from: range.to + 1, to: gap.to })
    return range
  }

  const accept = (planner: RangePlanner, part: LogPart) => {
    const isLast = gaps[0]?.from !== part.range.to + 1
    const kept = provesSilence && !isLast ? cutSilence(part) : part
    if (kept.range.to < part.range.to)
      gaps = unionRanges([{ from: kept.range.to + 1, to: part.range.to }, ...gaps])
    parts.push(kept)
    const density = tailDensity(part)
    const changed = density > lastDensity * UNLIKE || density < lastDensity / UNLIKE
    successes = changed ? 0 : successes + 1
    lastDensity = density
    rows += part.columns.count
    planner.succeeded(part.range, part.columns.count, density)
    if (rows > maxRows) throw new ChainError('too_large', `More than ${maxRows} transfers`)
  }

  /** Reads the next range from one RPC. */
  const step = async (member: Member): Promise<void> => {
    const planner = planners.get(member) ?? createRangePlanner(member.limits, halvedOf(member, filter))
    planners.set(member, planner)
    const range = takeRange(planner)
    if (range === null) return
    let isRead = false
    try {
      await requireHead(member, range.to, read)
      await proof.requireReach(member, range)
      let result = await fetch(member, range)
      if ('part' in result) result = await rejectCutReply(member, result.part, fetch)
      if ('part' in result) result = await confirmEmptyReply(pool, member, result.part, fetchProved, read)
      if ('part' in result) {
        proof.requireEnd(member, result.part)
        isRead = true
        accept(planner, result.part)
      } else {
        successes = 0
        if (!planner.refused(range, result.refusal))
          throw new RpcFailure(`RPC ${member.ordinal} refuses blocks ${range.from} to ${range.to}`, 0)
      }
    } finally {
      if (!isRead) gaps = unionRanges([range, ...gaps])
    }
  }

  const running = new Set<Promise<void>>()
  const start = () => {
    const run = pool
      .use(step, {
        ...read,
        ...(except && { except }),
        ...(rounds !== undefined && { rounds }),
      })
      .catch((error: unknown) => {
        if (!(error instanceof ChainError)) throw error
        failure ??= error
      })
      .finally(() => running.delete(run))
    running.add(run)
  }
  while (running.size > 0 || (failure === null && gaps.length > 0)) {
    while (failure === null && gaps.length > 0 && running.size < room()) start()
    await Promise.race(running)
  }
  const whole = isWholeToken(filter)
  const clean = (part: LogPart): LogPart =>
    whole ? { ...part, columns: dropEchoes(part.columns, filter.token) } : part
  return { parts: parts.map(clean).sort((a, b) => a.range.from - b.range.from), failure }
}

/** Kinds of queries of which the halved sizes are kept. */
const MAX_KINDS = 1000

/** Returns the size that queries of this kind were halved to: those of one address match few logs, those of a token many. */
function halvedOf({ limits: { halved } }: Member, filter: TransferFilter): HalvedSize {
  const kind = isWholeToken(filter) ? filter.token : 'address'
  const size = halved.get(kind) ?? createHalvedSize()
  if (halved.size >= MAX_KINDS) halved.clear()
  halved.set(kind, size)
  return size
}

/** Ends a part at its last row. One without rows stays as it is: a longer range may be refused. */
function cutSilence(part: LogPart): LogPart {
  const { columns, range } = part
  const to = columns.block[columns.count - 1] ?? range.to
  return { ...part, range: { from: range.from, to } }
}

/** A lagging RPC returns no logs for blocks it does not know, so its head is checked first. */
async function requireHead(member: Member, block: number, read: ReadOptions): Promise<void> {
  if (member.headSeen >= block) return
  const head = parseQuantity(await member.call('eth_blockNumber', [], read)) ?? -1
  member.headSeen = Math.max(member.headSeen, head)
  if (head < block) throw new RpcFailure(`RPC ${member.ordinal} lags: block ${head}, not ${block}`, 0)
}
