import type { Observation } from './facts.ts'

/** What the observations of one endpoint came to on one day; kept when the observations themselves are dropped. */
export type DailyMeasurements = {
  readonly endpoint: string
  readonly host: string
  /** `YYYY-MM-DD`, UTC. */
  readonly date: string
  readonly up: number
  readonly down: number
  readonly notMeasured: number
  /** Latency of the `up` observations, milliseconds; null without any. */
  readonly latencyMsP50: number | null
  readonly latencyMsP90: number | null
}

/** The day, `YYYY-MM-DD` in UTC, that holds a moment in milliseconds since 1970. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/**
 * Sums observations up by endpoint and day, oldest day first.
 *
 * Control requests ask for something that should not exist, so they are no measurement of the endpoint and are left out.
 */
export function foldDays(observations: readonly Observation[]): DailyMeasurements[] {
  const groups = new Map<string, Observation[]>()
  for (const observation of observations) {
    if (observation.purpose === 'control') continue
    const key = `${dayOf(observation.at)} ${observation.endpoint}`
    const group = groups.get(key)
    if (group) group.push(observation)
    else groups.set(key, [observation])
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .flatMap(([key, group]) => summarize(key.slice(0, 10), group))
}

/** One day's measurements in two portions, as one. Percentiles cannot be added up: those of the larger portion stand. */
export function addDays(a: DailyMeasurements, b: DailyMeasurements): DailyMeasurements {
  const { latencyMsP50, latencyMsP90 } = a.up >= b.up ? a : b
  const counts = { up: a.up + b.up, down: a.down + b.down, notMeasured: a.notMeasured + b.notMeasured }
  return { ...a, ...counts, latencyMsP50, latencyMsP90 }
}

function summarize(date: string, group: readonly Observation[]): DailyMeasurements[] {
  const [first] = group
  if (!first) return []
  const count = (outcome: Observation['outcome']) => group.filter((one) => one.outcome === outcome).length
  const latencies = group
    .flatMap(({ outcome, latencyMs }) => (outcome === 'up' && latencyMs !== null ? [latencyMs] : []))
    .sort((a, b) => a - b)
  return [
    {
      endpoint: first.endpoint,
      host: first.host,
      date,
      up: count('up'),
      down: count('down'),
      notMeasured: count('not_measured'),
      latencyMsP50: percentile(latencies, 0.5),
      latencyMsP90: percentile(latencies, 0.9),
    },
  ]
}

/** Nearest rank: the smallest value that at least the share `p` of all values does not exceed. */
function percentile(sorted: readonly number[], p: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * p) - 1)] ?? null
}
