import type { Pulse } from '@touchstone402/shared'
import { sliceRange } from '../columns/rowStore.ts'
import type { TransferColumns } from '../types.ts'
import { measureActivity } from './activity.ts'
import {
  type AnswerContext,
  describeAmount,
  describeCount,
  frameAnswer,
  percentOf,
  toAmount,
} from './answer.ts'
import { createSums } from './sums.ts'

/** Number of parts of a series. */
export const BUCKETS = 24
/** Percent of zero-value transfers that is worth a caveat. */
const SPAM_PCT = 10

/** Splits a window into parts of nearly equal numbers of blocks. Returns their first blocks, and the one after the last. */
export function splitBlocks(
  { fromBlock, toBlock }: { fromBlock: number; toBlock: number },
  parts: number,
): number[] {
  const blocks = toBlock - fromBlock + 1
  return Array.from({ length: parts + 1 }, (_, i) => fromBlock + Math.ceil((i * blocks) / parts))
}

/** Sums each part of a window. A part without blocks has null bounds. `timeOf` returns seconds. */
function bucketise(columns: TransferColumns, starts: readonly number[], timeOf: (block: number) => number) {
  return starts.slice(1).map((next, i) => {
    const from = starts[i] ?? next
    const to = next - 1
    const rows = sliceRange(columns, { from, to })
    const volume = createSums(columns, 1)
    for (let row = rows.from; row < rows.to; row++) volume.add(0, row)
    const bounds =
      to < from
        ? { fromTime: null, fromBlock: null, toBlock: null }
        : { fromTime: new Date(timeOf(from) * 1000).toISOString(), fromBlock: from, toBlock: to }
    return { ...bounds, transfers: rows.to - rows.from, volume: volume.at(0) }
  })
}

/**
 * Builds the answer of `/pulse`. The columns hold exactly the transfers of the window, zero values, mints and burns included.
 * `starts` are the first blocks of the series' parts, and the one after the last; `timeOf` returns their times in seconds.
 */
export function measurePulse(
  columns: TransferColumns,
  context: AnswerContext,
  starts: readonly number[],
  timeOf: (block: number) => number,
): Pulse {
  const activity = measureActivity(columns)
  const buckets = bucketise(columns, starts, timeOf)
  const amount = (raw: bigint) => toAmount(context, raw)
  const blocks = context.window.ranges.reduce((sum, range) => sum + range.to - range.from + 1, 0)
  const { transfers, volume } = activity
  const zeroShare = percentOf(BigInt(activity.zeroValue), BigInt(transfers))
  const caveats =
    zeroShare > SPAM_PCT
      ? [`${zeroShare.toFixed(1)} % of the transfers have a value of zero, which suggests address poisoning.`]
      : []
  const summary =
    transfers === 0
      ? `No transfers ${context.when}.`
      : `${describeCount(transfers, 'transfer')} of ${describeAmount(context, volume)} between ${activity.uniqueAddresses} addresses ${context.when}.`
  return {
    ...frameAnswer(context, summary, caveats),
    transfers,
    zeroValueTransfers: activity.zeroValue,
    uniqueSenders: activity.uniqueSenders,
    uniqueReceivers: activity.uniqueReceivers,
    uniqueAddresses: activity.uniqueAddresses,
    volume: amount(volume),
    volumeWithoutRoundTrips: amount(activity.volumeWithoutRoundTrips),
    mint: { count: activity.mints, ...amount(activity.mint) },
    burn: { count: activity.burns, ...amount(activity.burn) },
    median: amount(activity.median),
    p95: amount(activity.p95),
    largest: amount(activity.largest),
    top10SharePct: percentOf(activity.topGross, 2n * volume),
    transfersPerBlock: blocks === 0 ? 0 : Math.round((transfers / blocks) * 10_000) / 10_000,
    busiestBlock: activity.busiestBlock,
    series: buckets.map(({ volume: sum, ...bucket }) => ({ ...bucket, volume: amount(sum) })),
  }
}
