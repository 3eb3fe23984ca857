import { ChainError } from '../chainError.ts'
import type { AddressTable } from '../columns/addressTable.ts'
import { unionRanges } from '../columns/ranges.ts'
import { RpcUnwell } from '../rpc/rpcEndpoint.ts'
import type { Member, RpcPool } from '../rpc/rpcPool.ts'
import type { BlockRange, ReadOptions, TransferColumns } from '../types.ts'
import { fetchLogs, type LogPart, type TransferFilter } from './fetchLogs.ts'
import { createGate } from './gate.ts'
import { createPacer, type Pacer } from './rangePlanner.ts'
import { doubtEmptyAnswer, refuseCutAnswer } from './verifyLogs.ts'

export type LogReaderOptions = {
  readonly pool: RpcPool
  readonly filter: TransferFilter
  readonly addresses: AddressTable
  /** Ranges to read, ascending. */
  readonly gaps: readonly BlockRange[]
  /** Requests at a time. @default 4 */
  readonly concurrency?: number
  /** Rows at which reading ends with `too_large`. */
  readonly maxRows: number
  readonly read: ReadOptions
}

/** What was read, and why reading ended early where it did. */
export type LogReading = { readonly parts: readonly LogPart[]; readonly failure: ChainError | null }

const TAIL_SHARE = 0.1
/** Ratio from which two densities count as different. */
const UNLIKE = 2
/** Answers in a row that let one more question be asked at a time. */
const RAMP = 4

/** Rows a block near the end of a range: over the newest tenth of the rows. */
const tailDensity = ({ columns, range }: { columns: TransferColumns; range: BlockRange }): number => {
  const rows = Math.ceil(columns.count * TAIL_SHARE)
  if (rows === 0) return 0
  const since = columns.block[columns.count - rows] ?? range.from
  return rows / Math.max(1, range.to - since + 1)
}

/**
 * Reads all gaps, several requests at a time once the first has shown what the RPC allows.
 *
 * Never rejects for chain reasons: what was read before a failure is returned beside it.
 */
export const readLogs = async (options: LogReaderOptions): Promise<LogReading> => {
  const { pool, filter, addresses, read, maxRows } = options
  const concurrency = options.concurrency ?? 4
  const pacers = new Map<Member, Pacer>()
  const parts: LogPart[] = []
  let gaps: BlockRange[] = unionRanges(options.gaps)
  let rows = 0
  let failure: ChainError | null = null
  // While nothing is known, or right after a refusal, a second question would only be refused the same.
  let successes = 0
  let lastDensity = 0
  const gate = createGate(() => Math.min(concurrency, 1 + Math.floor(successes / RAMP)))

  const take = (pacer: Pacer): BlockRange | null => {
    const gap = gaps.shift()
    if (gap === undefined) return null
    const range = pacer.plan(gap)
    if (range.to < gap.to) gaps.unshift({ from: range.to + 1, to: gap.to })
    return range
  }
  const giveBack = (range: BlockRange) => {
    gaps = unionRanges([range, ...gaps])
  }

  /** Asks one RPC for the next range; false when nothing was left to ask. */
  const step = async (member: Member): Promise<boolean> => {
    const pacer = pacers.get(member) ?? createPacer(member.lesson)
    pacers.set(member, pacer)
    const range = take(pacer)
    if (range === null) return false
    try {
      await requireHead(member, range.to, read)
      let result = await fetchLogs(member, filter, range, addresses, read)
      if ('part' in result) result = await refuseCutAnswer(member, filter, result.part, addresses, read)
      if ('part' in result)
        result = await doubtEmptyAnswer(pool, member, filter, result.part, addresses, read)
      if ('part' in result) {
        parts.push(result.part)
        const density = tailDensity(result.part)
        // What comes next is unlike what came last: feel the way.
        successes = density > lastDensity * UNLIKE || density < lastDensity / UNLIKE ? 0 : successes + 1
        lastDensity = density
        rows += result.part.columns.count
        pacer.succeeded(range, result.part.columns.count, tailDensity(result.part))
        if (rows > maxRows) throw new ChainError('too_large', `More than ${maxRows} transfers`)
        return true
      }
      giveBack(range)
      successes = 0
      if (!pacer.refused(range, result.refusal))
        throw new RpcUnwell(`RPC ${member.ordinal} refuses block ${range.from} on its own`, 0)
      return true
    } catch (error) {
      if (!parts.some((part) => part.range === range)) giveBack(range)
      throw error
    }
  }

  const worker = async (): Promise<void> => {
    for (;;) {
      await gate.enter()
      if (failure !== null || gaps.length === 0) {
        // A question under way may still give its range back.
        const done = failure !== null || gate.isAlone()
        gate.leave(done)
        if (done) return
        await gate.change()
        continue
      }
      try {
        await pool.use(step, read)
      } catch (error) {
        if (!(error instanceof ChainError)) throw error
        failure ??= error
      } finally {
        gate.leave(true)
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return { parts: parts.sort((a, b) => a.range.from - b.range.from), failure }
}

/** An RPC that is behind answers "nothing" for blocks it does not know: it is asked for its head first. */
const requireHead = async (member: Member, block: number, read: ReadOptions): Promise<void> => {
  if (member.headSeen >= block) return
  const answer = await member.call('eth_blockNumber', [], read)
  const head = typeof answer === 'string' && /^0x[0-9a-f]{1,13}$/i.test(answer) ? Number(answer) : -1
  member.headSeen = Math.max(member.headSeen, head)
  if (head < block) throw new RpcUnwell(`RPC ${member.ordinal} is behind: block ${head}, not ${block}`, 0)
}
