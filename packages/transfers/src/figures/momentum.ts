import type { AmountMetric, CountMetric, Momentum } from '@touchstone402/shared'
import type { Activity } from './activity.ts'
import { type AnswerContext, describeAmount, describeCount, frameAnswer, toAmount } from './answer.ts'

const COUNTS = ['transfers', 'uniqueSenders', 'uniqueReceivers', 'uniqueAddresses'] as const
const AMOUNTS = ['volume', 'volumeWithoutRoundTrips', 'mint', 'burn', 'median', 'largest'] as const
type CountName = (typeof COUNTS)[number]
type AmountName = (typeof AMOUNTS)[number]

/** Figures of one window. */
type WindowFigures = Pick<Activity, CountName | AmountName>

const LOW_SAMPLE = 30
const MIN_TRAILING = 4
const MOVES_PCT = 10
const RULE_ID = 'volume-and-transfers-10'
const RULE =
  'rising: volume and transfers both up by 10 % or more; falling: both down by 10 % or more; mixed: one of each; flat: otherwise; unclear: a low sample or an incomplete window'

/** Returns the change in percent with two decimal places; null if `previous` is 0. */
export function changePct(current: bigint, previous: bigint): number | null {
  return previous === 0n ? null : Number(((current - previous) * 10_000n) / previous) / 100
}

/** Returns the distance of a value from the mean of others in sample standard deviations; null for fewer than 4, or without variance. */
export function zScore(value: number, others: readonly number[]): number | null {
  if (others.length < MIN_TRAILING) return null
  const mean = others.reduce((sum, other) => sum + other, 0) / others.length
  const variance = others.reduce((sum, other) => sum + (other - mean) ** 2, 0) / (others.length - 1)
  return variance > 0 ? Math.round(((value - mean) / Math.sqrt(variance)) * 100) / 100 : null
}

function decideDirection(
  volume: number | null,
  transfers: number | null,
  clear: boolean,
): Momentum['direction'] {
  const about = { ruleId: RULE_ID, rule: RULE }
  if (!clear || volume === null || transfers === null) return { word: 'unclear', ...about }
  const up = (pct: number) => pct >= MOVES_PCT
  const down = (pct: number) => pct <= -MOVES_PCT
  if (up(volume) && up(transfers)) return { word: 'rising', ...about }
  if (down(volume) && down(transfers)) return { word: 'falling', ...about }
  const mixed = (up(volume) && down(transfers)) || (down(volume) && up(transfers))
  return { word: mixed ? 'mixed' : 'flat', ...about }
}

/** Compares two adjacent windows of equal time. `trailing` are the cached windows before them. */
export function compareWindows(
  current: WindowFigures,
  previous: WindowFigures,
  trailing: readonly WindowFigures[],
  context: AnswerContext,
  previousWindow: Momentum['previousWindow'],
): Momentum {
  const count = (name: CountName): CountMetric => ({
    current: current[name],
    previous: previous[name],
    delta: current[name] - previous[name],
    pct: changePct(BigInt(current[name]), BigInt(previous[name])),
    noPrior: previous[name] === 0,
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
    noPrior: previous[name] === 0n,
    zScore: zScore(
      Number(current[name]),
      trailing.map((figures) => Number(figures[name])),
    ),
  })
  const metrics = Object.fromEntries([
    ...COUNTS.map((name) => [name, count(name)]),
    ...AMOUNTS.map((name) => [name, amount(name)]),
  ]) as Momentum['metrics']
  const lowSample = Math.min(current.transfers, previous.transfers) < LOW_SAMPLE
  const complete = context.window.complete && previousWindow.complete
  const direction = decideDirection(metrics.volume.pct, metrics.transfers.pct, complete && !lowSample)
  const caveats = lowSample
    ? [`Fewer than ${LOW_SAMPLE} transfers in one of the windows: changes may be chance.`]
    : []
  if (!previousWindow.complete) caveats.push('The previous window is not complete: changes may be wrong.')
  const { pct } = metrics.volume
  const change = pct === null ? 'no prior volume' : `${pct >= 0 ? '+' : ''}${pct} %`
  const summary = `Volume of ${describeAmount(context, current.volume)} ${context.when} (${change}), ${describeCount(current.transfers, 'transfer')} after ${previous.transfers}: ${direction.word}.`
  return {
    ...frameAnswer(context, summary, caveats),
    previousWindow,
    trailingWindows: trailing.length,
    metrics,
    lowSample,
    direction,
  }
}
