import type { TrustHistory } from '@touchstone402/shared'
import type { Observation } from './facts.ts'
import { groupBy } from './groupBy.ts'
import { toDate } from './times.ts'

type Counts = { readonly up: number; readonly down: number; readonly notMeasured: number }

/** One day of one endpoint (UTC). Kept when the observations themselves are dropped. */
export type DailyMeasurements = Readonly<TrustHistory['daily'][number]> & {
  readonly endpoint: string
  readonly host: string
}

/** Counts observations by endpoint and day, oldest day first. Control probes are left out. */
export function foldDays(observations: readonly Observation[]): DailyMeasurements[] {
  const measured = observations.filter(({ purpose }) => purpose !== 'control')
  return [...groupBy(measured, ({ at, endpoint }) => `${toDate(at)} ${endpoint}`)]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .flatMap(([key, group]) => {
      const latencies = latenciesOf(group)
      // No spread: these objects stay in memory, and a spread makes them twice as large.
      const { up, down, notMeasured } = countOutcomes(group)
      return group.slice(0, 1).map(({ endpoint, host }) => ({
        endpoint,
        host,
        date: key.slice(0, 10),
        up,
        down,
        notMeasured,
        latencyMsP50: percentile(latencies, 0.5),
        latencyMsP90: percentile(latencies, 0.9),
      }))
    })
}

/** Counts observations by outcome. */
export function countOutcomes(observations: readonly Observation[]): Counts {
  const count = (wanted: Observation['outcome']) =>
    observations.filter(({ outcome }) => outcome === wanted).length
  return { up: count('up'), down: count('down'), notMeasured: count('not_measured') }
}

/** Returns the latencies of successful probes in milliseconds, ascending. */
export function latenciesOf(observations: readonly Observation[]): number[] {
  return observations
    .flatMap(({ outcome, latencyMs }) => (outcome === 'up' && latencyMs !== null ? [latencyMs] : []))
    .sort((a, b) => a - b)
}

/** Returns the nearest-rank percentile of sorted values; null without values. */
export function percentile(sorted: readonly number[], p: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * p) - 1)] ?? null
}
