import type { TransferColumns } from '../types.ts'
import { measureActivity } from './activity.ts'
import {
  type Amount,
  type AnswerContext,
  describeAmount,
  frameAnswer,
  percentOf,
  type TokenAnswer,
  toAmount,
} from './answer.ts'
import { type Buckets, bucketise } from './buckets.ts'
import { createRanks } from './ranks.ts'

/** Activity of a token over a window. Counts are of transfers, zero values, mints and burns included. */
export type Pulse = TokenAnswer & {
  readonly transfers: number
  readonly zeroValueTransfers: number
  readonly uniqueSenders: number
  readonly uniqueReceivers: number
  readonly uniqueAddresses: number
  readonly volume: Amount
  readonly volumeWithoutRoundTrips: Amount
  readonly mint: Amount & { readonly count: number }
  readonly burn: Amount & { readonly count: number }
  /** Nearest-rank percentiles of all transfers. */
  readonly median: Amount
  readonly p95: Amount
  readonly largest: Amount
  /** Percent of all amounts sent and received that the ten most active addresses account for. */
  readonly top10SharePct: number
  readonly transfersPerBlock: number
  readonly busiestBlock: { readonly block: number; readonly transfers: number } | null
  readonly series: readonly Bucket[]
}

type Bucket = {
  readonly fromBlock: number | null
  readonly toBlock: number | null
  readonly transfers: number
  readonly volume: Amount
}

const SERIES = 24
const SPAM_SHARE = 10

/** Measures the pulse. Pure; the columns hold exactly the window's transfers. */
export const measurePulse = (columns: TransferColumns, context: AnswerContext): Pulse => {
  const activity = measureActivity(columns)
  const ranks = createRanks(columns)
  const buckets: Buckets = bucketise(columns, context.window, SERIES)
  const amount = (raw: bigint) => toAmount(context, raw)
  const blocks = context.window.ranges.reduce((sum, range) => sum + range.to - range.from + 1, 0)
  const { transfers, volume } = activity
  const zeroShare = percentOf(BigInt(activity.zeroValue), BigInt(transfers))
  const caveats =
    zeroShare > SPAM_SHARE
      ? [`${zeroShare.toFixed(1)} % of the transfers move nothing (address poisoning does that).`]
      : []
  const summary =
    transfers === 0
      ? `No transfers in the last ${context.window.name}.`
      : `${transfers} transfers of ${describeAmount(context, volume)} between ${activity.uniqueAddresses} addresses in the last ${context.window.name}.`
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
