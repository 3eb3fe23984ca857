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
import { bucketise } from './buckets.ts'
import { createRanks } from './ranks.ts'

const BUCKETS = 24
/** Percent of zero-value transfers that is worth a caveat. */
const SPAM_PCT = 10

/** Builds the answer of `/pulse`. The columns hold exactly the transfers of the window, zero values, mints and burns included. */
export function measurePulse(columns: TransferColumns, context: AnswerContext): Pulse {
  const ranks = createRanks(columns)
  const activity = measureActivity(columns, ranks)
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
    volumeWithoutRoundTrips: amount(volume - activity.roundTrips),
    mint: { count: activity.mints, ...amount(activity.minted) },
    burn: { count: activity.burns, ...amount(activity.burned) },
    median: amount(ranks.percentile(0.5)),
    p95: amount(ranks.percentile(0.95)),
    largest: amount(ranks.largest(0)),
    top10SharePct: percentOf(activity.topGross(10), 2n * volume),
    transfersPerBlock: blocks === 0 ? 0 : Math.round((transfers / blocks) * 10_000) / 10_000,
    busiestBlock: activity.busiestBlock,
    series: buckets.map(({ volume: sum, ...bucket }) => ({ ...bucket, volume: amount(sum) })),
  }
}
