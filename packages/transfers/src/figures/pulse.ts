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

const BUCKETS = 24
/** Percent of zero-value transfers that is worth a caveat. */
const SPAM_PCT = 10

/**
 * Splits a window into `parts` buckets of nearly equal numbers of blocks.
 * If the window has fewer blocks than parts, the empty buckets have null bounds.
 */
function bucketise(
  columns: TransferColumns,
  { fromBlock, toBlock }: { fromBlock: number; toBlock: number },
  parts: number,
) {
  const blocks = toBlock - fromBlock + 1
  const starts = Array.from({ length: parts + 1 }, (_, i) => fromBlock + Math.ceil((i * blocks) / parts))
  return Array.from({ length: parts }, (_, i) => {
    const from = starts[i] ?? fromBlock
    const to = (starts[i + 1] ?? toBlock + 1) - 1
    const rows = sliceRange(columns, { from, to })
    const volume = createSums(columns, 1)
    for (let row = rows.from; row < rows.to; row++) volume.add(0, row)
    const bounds = to < from ? { fromBlock: null, toBlock: null } : { fromBlock: from, toBlock: to }
    return { ...bounds, transfers: rows.to - rows.from, volume: volume.at(0) }
  })
}

/** Builds the answer of `/pulse`. The columns hold exactly the transfers of the window, zero values, mints and burns included. */
export function measurePulse(columns: TransferColumns, context: AnswerContext): Pulse {
  const activity = measureActivity(columns)
  const buckets = bucketise(columns, context.window, BUCKETS)
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
      ? `No transfers in the last ${context.window.name}.`
      : `${describeCount(transfers, 'transfer')} of ${describeAmount(context, volume)} between ${activity.uniqueAddresses} addresses in the last ${context.window.name}.`
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
