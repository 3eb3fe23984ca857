import type { Pulse } from '@touchstone402/shared'
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
  const counts = new Uint32Array(parts)
  const sums = createSums(columns, parts)
  let part = 0
  for (let row = 0; row < columns.count; row++) {
    const block = columns.block[row] as number
    while (part < parts - 1 && block >= (starts[part + 1] as number)) part++
    counts[part] = (counts[part] as number) + 1
    sums.add(part, row)
  }
  return Array.from({ length: parts }, (_, i) => {
    const first = starts[i] ?? fromBlock
    const last = (starts[i + 1] ?? toBlock + 1) - 1
    const bounds = last < first ? { fromBlock: null, toBlock: null } : { fromBlock: first, toBlock: last }
    return { ...bounds, transfers: counts[i] ?? 0, volume: sums.at(i) }
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
