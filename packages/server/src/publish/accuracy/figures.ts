import type {
  AccuracyCounts,
  AccuracyFigures,
  AccuracyGroup,
  AccuracyPeriod,
  DeliveryCounts,
} from '@touchstone402/shared'
import { type DatedCounts, isForecast, scoreForecasts, shareOf } from './brier.ts'
import { byRank, groupKey } from './samples.ts'
import { wilson } from './wilson.ts'

/** Purchases in one period after the verdicts of one day, by verdict and band. */
export type DatedDeliveries = { readonly date: string; readonly groups: readonly DeliveryCounts[] }

/** Newest days that figures count. */
export const SHOWN_DAYS = 30

/**
 * Returns how verdicts held over one period.
 * @param outcomes of each day once, in any order; those before the shown days are what forecasts rest on
 */
export function describeAccuracy(
  afterDays: AccuracyPeriod,
  outcomes: readonly DatedCounts[],
  deliveries: readonly DatedDeliveries[],
): AccuracyFigures {
  const known = [...outcomes].sort((a, b) => (a.date < b.date ? -1 : 1))
  const shown = known.slice(-SHOWN_DAYS)
  const bought = [...deliveries].sort((a, b) => (a.date < b.date ? -1 : 1)).slice(-SHOWN_DAYS)
  const counted = shown.flatMap(({ groups }) => groups)
  const total = sum(counted, 'endpoints')
  const forecast = counted.filter(isForecast)
  const scores = scoreForecasts(shown, known, afterDays)
  return {
    afterDays,
    from: shown[0]?.date ?? null,
    to: shown.at(-1)?.date ?? null,
    days: shown.length,
    coveragePct: percent(sum(forecast, 'endpoints'), total),
    heldPct: percentOf(shareOf(forecast)),
    brier: scores && round(scores.bands, 4),
    brierOfBaseRate: scores && round(scores.baseRate, 4),
    skill: scores === null || scores.baseRate === 0 ? null : round(1 - scores.bands / scores.baseRate, 4),
    groups: describeGroups(counted, bought, shown.length, total),
  }
}

function describeGroups(
  counted: readonly AccuracyCounts[],
  bought: readonly DatedDeliveries[],
  days: number,
  total: number,
): AccuracyGroup[] {
  const sold = bought.flatMap(({ groups }) => groups)
  const kinds = new Map([...counted, ...sold].map((group) => [groupKey(group), group]))
  return [...kinds.values()].sort(byRank).map((kind) => {
    const own = counted.filter((group) => groupKey(group) === groupKey(kind))
    const purchases = sold.filter((group) => groupKey(group) === groupKey(kind))
    const share = shareOf(own)
    // The same domains stand there day after day, so the days do not make the interval narrower.
    const interval = share === null ? null : wilson(share, sum(own, 'domainsMeasured') / days)
    return {
      verdict: kind.verdict,
      band: kind.band,
      count: sum(own, 'endpoints'),
      sharePct: percent(sum(own, 'endpoints'), total) ?? 0,
      domains: round(sum(own, 'domains') / Math.max(1, days), 1),
      measured: sum(own, 'measured'),
      heldPct: percentOf(share),
      lowPct: percentOf(interval?.low ?? null),
      highPct: percentOf(interval?.high ?? null),
      endpointsHeldPct: percent(sum(own, 'held'), sum(own, 'measured')),
      avoidAfterPct: percent(sum(own, 'avoidAfter'), sum(own, 'endpoints')),
      bought: sum(purchases, 'bought'),
      delivered: sum(purchases, 'delivered'),
    }
  })
}

function sum<K extends string>(groups: readonly Readonly<Record<K, number>>[], field: K): number {
  return groups.reduce((total, group) => total + group[field], 0)
}

const round = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits
const percentOf = (share: number | null) => (share === null ? null : round(100 * share, 2))
const percent = (part: number, whole: number) => (whole === 0 ? null : percentOf(part / whole))
