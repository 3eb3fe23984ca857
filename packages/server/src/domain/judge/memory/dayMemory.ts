import { type DailyMeasurements, percentile } from '../../facts/dailyMeasurements.ts'
import type { Observation } from '../../facts/facts.ts'
import { toDate } from '../../facts/times.ts'

/** The day under way. */
export type DayMemory = {
  readonly date: string
  readonly up: number
  readonly down: number
  readonly notMeasured: number
  /** Latencies of successes in milliseconds, in order of time. */
  readonly latencies: readonly number[]
}

/** Maximum number of latencies of one day; those of later looks are left out. */
const MAX_LATENCIES = 400

/** Adds a settled look to its day; a day that ended before is returned too. */
export function addToDay(
  before: DayMemory | null,
  look: Observation,
): { readonly day: DayMemory; readonly ended: DailyMeasurements | null } {
  const date = toDate(look.at)
  const isSame = before?.date === date
  const start = isSame ? before : { date, up: 0, down: 0, notMeasured: 0, latencies: [] }
  const { outcome, latencyMs } = look
  const isTimed = outcome === 'up' && latencyMs !== null && start.latencies.length < MAX_LATENCIES
  const day = {
    date,
    up: start.up + (outcome === 'up' ? 1 : 0),
    down: start.down + (outcome === 'down' ? 1 : 0),
    notMeasured: start.notMeasured + (outcome === 'not_measured' ? 1 : 0),
    latencies: isTimed ? [...start.latencies, latencyMs] : start.latencies,
  }
  return { day, ended: isSame || before === null ? null : sumDay(before, look) }
}

/** Sums up a day of an endpoint. */
export function sumDay(
  { date, up, down, notMeasured, latencies }: DayMemory,
  { endpoint, host }: Pick<DailyMeasurements, 'endpoint' | 'host'>,
): DailyMeasurements {
  const sorted = latencies.toSorted((a, b) => a - b)
  return {
    endpoint,
    host,
    date,
    up,
    down,
    notMeasured,
    latencyMsP50: percentile(sorted, 0.5),
    latencyMsP90: percentile(sorted, 0.9),
  }
}
