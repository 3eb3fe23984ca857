import type { TransferColumns } from '../types.ts'
import { measureActivity } from './activity.ts'
import {
  type Amount,
  type AnswerContext,
  describeAmount,
  frameAnswer,
  type TokenAnswer,
  toAmount,
} from './answer.ts'
import { createRanks } from './ranks.ts'

/** A count now and in the window before. `pct` is null when `previous` is 0. */
export type CountMetric = {
  readonly current: number
  readonly previous: number
  readonly delta: number
  readonly pct: number | null
  /** Standard deviations from the mean of the trailing windows; null with fewer than 4, or when they do not vary. */
  readonly zScore: number | null
}

/** An amount now and in the window before. */
export type AmountMetric = Omit<CountMetric, 'current' | 'previous' | 'delta'> & {
  readonly current: Amount
  readonly previous: Amount
  readonly delta: Amount
}

export type Direction = {
  readonly word: 'rising' | 'falling' | 'mixed' | 'flat' | 'unclear'
  readonly ruleId: string
  readonly rule: string
}

type CountName = 'transfers' | 'uniqueSenders' | 'uniqueReceivers' | 'uniqueAddresses'
type AmountName = 'volume' | 'volumeWithoutRoundTrips' | 'mint' | 'burn' | 'median' | 'largest'

/** The current window against the one before it. */
export type Momentum = TokenAnswer & {
  readonly previousWindow: {
    readonly fromBlock: number
    readonly toBlock: number
    readonly complete: boolean
  }
  /** Windows before those two that the z-scores are taken against. */
  readonly trailingWindows: number
  readonly metrics: { readonly [Name in CountName]: CountMetric } & {
    readonly [Name in AmountName]: AmountMetric
  }
  /** Whether either window has too few transfers for a comparison to mean much. */
  readonly lowSample: boolean
  readonly direction: Direction
}

/** Figures of one window. */
export type WindowFigures = Readonly<Record<CountName, number>> & Readonly<Record<AmountName, bigint>>

const LOW_SAMPLE = 30
const LEAST_TRAILING = 4
const MOVES_PCT = 10
const RULE_ID = 'volume-and-transfers-10'
const RULE =
  'rising: volume and transfers both up by 10 % or more; falling: both down by 10 % or more; mixed: one of each; flat: otherwise; unclear: a low sample or an incomplete window'

/** Measures one window for the comparison. */
export const measureWindow = (columns: TransferColumns): WindowFigures => {
  const activity = measureActivity(columns)
  const ranks = createRanks(columns)
  return {
    transfers: activity.transfers,
    uniqueSenders: activity.uniqueSenders,
    uniqueReceivers: activity.uniqueReceivers,
    uniqueAddresses: activity.uniqueAddresses,
    volume: activity.volume,
    volumeWithoutRoundTrips: activity.volume - activity.roundTrips,
    mint: activity.minted,
    burn: activity.burned,
    median: ranks.percentile(0.5),
    largest: ranks.largest(0),
  }
}

/** Change in percent with two places, exact until the last division. */
export const changePct = (current: bigint, previous: bigint): number | null =>
  previous === 0n ? null : Number(((current - previous) * 10_000n) / previous) / 100

/** How many standard deviations (of the sample) a value is from the mean of the others. */
export const zScore = (value: number, others: readonly number[]): number | null => {
  if (others.length < LEAST_TRAILING) return null
  const mean = others.reduce((sum, other) => sum + other, 0) / others.length
  const variance = others.reduce((sum, other) => sum + (other - mean) ** 2, 0) / (others.length - 1)
  return variance > 0 ? Math.round(((value - mean) / Math.sqrt(variance)) * 100) / 100 : null
}

const decideDirection = (volume: number | null, transfers: number | null, clear: boolean): Direction => {
  const about = { ruleId: RULE_ID, rule: RULE }
  if (!clear || volume === null || transfers === null) return { word: 'unclear', ...about }
  const up = (pct: number) => pct >= MOVES_PCT
  const down = (pct: number) => pct <= -MOVES_PCT
  if (up(volume) && up(transfers)) return { word: 'rising', ...about }
  if (down(volume) && down(transfers)) return { word: 'falling', ...about }
  const mixed = (up(volume) && down(transfers)) || (down(volume) && up(transfers))
  return { word: mixed ? 'mixed' : 'flat', ...about }
}

/** Compares two adjacent windows of as many blocks. `trailing` are the windows before them that are at hand. */
export const compareWindows = (
  current: WindowFigures,
  previous: WindowFigures,
  trailing: readonly WindowFigures[],
  context: AnswerContext,
  previousWindow: Momentum['previousWindow'],
): Momentum => {
  const count = (name: CountName): CountMetric => ({
    current: current[name],
    previous: previous[name],
    delta: current[name] - previous[name],
    pct: changePct(BigInt(current[name]), BigInt(previous[name])),
    zScore: zScore(
      current[name],
      trailing.map((figures) => figures[name]),
    ),
  })
  const amount = (name: AmountName): AmountMetric => ({
    current: toAmount(context, current[name]),
    previous: toAmount(context, previous[name]),
    delta: toAmount(context, current[name] - previous[name]),
    pct: changePct(current[name], previous[name]),
    zScore: zScore(
      Number(current[name]),
      trailing.map((figures) => Number(figures[name])),
    ),
  })
  const metrics: Momentum['metrics'] = {
    transfers: count('transfers'),
    uniqueSenders: count('uniqueSenders'),
    uniqueReceivers: count('uniqueReceivers'),
    uniqueAddresses: count('uniqueAddresses'),
    volume: amount('volume'),
    volumeWithoutRoundTrips: amount('volumeWithoutRoundTrips'),
    mint: amount('mint'),
    burn: amount('burn'),
    median: amount('median'),
    largest: amount('largest'),
  }
  const lowSample = Math.min(current.transfers, previous.transfers) < LOW_SAMPLE
  const complete = context.window.complete && previousWindow.complete
  const direction = decideDirection(metrics.volume.pct, metrics.transfers.pct, complete && !lowSample)
  const caveats = lowSample
    ? [`Fewer than ${LOW_SAMPLE} transfers in one of the windows: changes may be chance.`]
    : []
  if (!previousWindow.complete) caveats.push('The previous window was not read completely.')
  const { pct } = metrics.volume
  const change = pct === null ? 'after none' : `${pct >= 0 ? '+' : ''}${pct} %`
  const summary = `Volume of ${describeAmount(context, current.volume)} in the last ${context.window.name} (${change}), ${current.transfers} transfers after ${previous.transfers}: ${direction.word}.`
  return {
    ...frameAnswer(context, summary, caveats),
    previousWindow,
    trailingWindows: trailing.length,
    metrics,
    lowSample,
    direction,
  }
}
