import type { AccuracyCounts, AccuracyPeriod } from '@touchstone402/shared'
import { DAY, toDate } from '../../facts/times.ts'
import { groupKey } from './samples.ts'

/** Outcomes of one period after the verdicts of one day, by verdict and band. */
export type DatedCounts = {
  /** Day of the verdicts, `YYYY-MM-DD`. */
  readonly date: string
  readonly groups: readonly AccuracyCounts[]
}

/** Days before a verdict from whose outcomes it is forecast. */
const FORECAST_DAYS = 30

/** Brier scores of the bands and of the base rate; null without a day that could be forecast. */
export type BrierScores = { readonly bands: number; readonly baseRate: number } | null

/**
 * Scores forecasts of outcomes that were unknown when the verdict stood. A band is forecast by its share of the 30 days
 * whose outcomes were known by then, all bands together by the base rate of the same days. Domains are counted, not
 * endpoints, so that a seller with a thousand paths is one seller.
 * @param scored days that are scored
 * @param known days that forecasts may rest on
 */
export function scoreForecasts(
  scored: readonly DatedCounts[],
  known: readonly DatedCounts[],
  afterDays: AccuracyPeriod,
): BrierScores {
  let [domains, bands, baseRate] = [0, 0, 0]
  for (const { date, groups } of scored) {
    const before = known.filter((day) => isForecastBy(day.date, date, afterDays))
    const base = shareOf(before.flatMap((day) => day.groups.filter(isForecast)))
    if (base === null) continue
    for (const group of groups.filter(isForecast)) {
      const own = before.flatMap((day) => day.groups.filter((other) => groupKey(other) === groupKey(group)))
      const { domainsMeasured: measured, domainsHeld: held } = group
      domains += measured
      bands += scoreOf(shareOf(own) ?? base, held, measured)
      baseRate += scoreOf(base, held, measured)
    }
  }
  return domains === 0 ? null : { bands: bands / domains, baseRate: baseRate / domains }
}

/** An unknown verdict forecasts nothing. */
export const isForecast = ({ verdict }: Pick<AccuracyCounts, 'verdict'>): boolean => verdict !== 'unknown'

/** Whether the outcome of an earlier day was known on a day, and is of the 30 days before. */
function isForecastBy(earlier: string, date: string, afterDays: AccuracyPeriod): boolean {
  const end = Date.parse(date) - afterDays * DAY
  return earlier <= toDate(end) && earlier > toDate(end - FORECAST_DAYS * DAY)
}

/** Returns the share of domains that held; null if none was measured. */
export function shareOf(
  groups: readonly Pick<AccuracyCounts, 'domainsMeasured' | 'domainsHeld'>[],
): number | null {
  const measured = groups.reduce((sum, group) => sum + group.domainsMeasured, 0)
  const held = groups.reduce((sum, group) => sum + group.domainsHeld, 0)
  return measured === 0 ? null : held / measured
}

/** Sum of squared differences between a forecast and outcomes of 1 or 0. */
const scoreOf = (forecast: number, held: number, measured: number) =>
  held * (1 - forecast) ** 2 + (measured - held) * forecast ** 2
