import type { Time } from '../facts/facts.ts'
import type { Uptime } from '../facts/hostDocument.ts'
import { betaQuantile } from './beta.ts'
import { longestIntervalMs } from './intervals.ts'
import { LIMITS, POINTS } from './spec.ts'
import { readEntries, type UptimeEntry, type UptimeLog } from './uptimeLog.ts'

const round2 = (value: number) => Math.round(value * 100) / 100

/** What uptime is measured by: the probes that count, and the time since the last of them. */
export type UptimeSample = Pick<UptimeLog, 'lastAt' | 'darkFrom' | 'sinceMs'> & {
  readonly entries: readonly UptimeEntry[]
}

/** Reads the log. */
export function readSample(log: UptimeLog): UptimeSample {
  return { ...log, entries: readEntries(log) }
}

/**
 * Measures uptime over the last 30 days, by probes and by time, and states the worse of the two: probes alone flatter a
 * service that is dark, since it is probed less often; time alone flatters one that fails at random, since failures are
 * followed up quickly. For the bounds, a weight halves every 7 days.
 * @param now time of a scheduled probe, or none before the last probe
 */
export function measureUptime(sample: UptimeSample, now: Time): Uptime {
  const isInWindow = (at: Time) => at <= now && at > now - LIMITS.uptimeWindowMs
  const counted = sample.entries.filter(({ at }) => isInWindow(at))
  const [probes, time] = [newSum(), newSum()]
  for (const { at, outcome } of counted) add(probes, outcome, 1, decay(now - at))
  for (const { at, outcome, ms } of spreadTime(sample, now)) {
    if (isInWindow(at)) add(time, outcome, ms, (decay(now - at) * ms) / LIMITS.uptimeTimeUnitMs)
  }
  const { up, down } = probes
  const notMeasured = counted.length - up - down
  if (up + down < LIMITS.uptimeMinProbes) {
    return { up, down, notMeasured, pct: null, lowerBound: null, upperBound: null }
  }
  const measures = time.down === 0 ? [probes] : [probes, time]
  const worse = (read: (sum: Sum) => number) => round2(100 * Math.min(...measures.map(read)))
  const quantile = (p: number) => (sum: Sum) => betaQuantile(p, 1 + sum.upWeight, 1 + sum.downWeight)
  return {
    up,
    down,
    notMeasured,
    pct: worse((sum) => sum.up / (sum.up + sum.down)),
    lowerBound: worse(quantile(0.025)),
    upperBound: down === 0 ? 100 : worse(quantile(0.975)),
  }
}

type Sum = { up: number; down: number; upWeight: number; downWeight: number }

const newSum = (): Sum => ({ up: 0, down: 0, upWeight: 0, downWeight: 0 })

const decay = (ageMs: number) => 0.5 ** (ageMs / LIMITS.uptimeHalfLifeMs)

function add(sum: Sum, outcome: UptimeEntry['outcome'], amount: number, weight: number): void {
  if (outcome === 'not_measured') return
  sum[outcome] += amount
  sum[`${outcome}Weight`] += weight
}

/**
 * Spreads time over scheduled probes: each carries half the gap to its neighbours, the last one half the gap to `now`.
 * Where two looks of the crawl lie further apart than the schedule ever puts them, the rest was our own downtime and is
 * carried by none.
 */
function spreadTime({ entries, lastAt, darkFrom, sinceMs }: UptimeSample, now: Time) {
  const probes = entries.filter(({ at, isScheduled }) => isScheduled && at <= now)
  // Up to an earlier probe nothing was watched after it.
  const unwatchedMs = lastAt === null ? 0 : now - lastAt
  const tailMs =
    unwatchedMs < 0
      ? 0
      : sinceMs + Math.min(unwatchedMs, longestIntervalMs((lastAt ?? 0) - (darkFrom ?? now * 2)))
  return probes.map(({ at, outcome, gapMs }, index) => ({
    at,
    outcome,
    ms: Math.min(
      LIMITS.uptimeProbeMaxMs,
      ((index === 0 ? 0 : gapMs) + (probes[index + 1]?.gapMs ?? tailMs)) / 2,
    ),
  }))
}

/** Returns the uptime with the lowest upper bound, now or at a failed probe of the last 24 h. The memory prevents flapping. */
export function lowestUptime(sample: UptimeSample, now: Time): Uptime {
  const moments = sample.entries.filter(
    ({ at, outcome, isScheduled }) =>
      isScheduled && outcome === 'down' && at > now - LIMITS.flakyMemoryMs && at <= now,
  )
  return moments
    .map(({ at }) => measureUptime(sample, at))
    .reduce(
      (least, uptime) => ((uptime.upperBound ?? 100) < (least.upperBound ?? 100) ? uptime : least),
      measureUptime(sample, now),
    )
}

/** Whether the lowest uptime is below 90 % with the probability of its upper bound. */
export function isFlaky({ upperBound }: Uptime): boolean {
  return upperBound !== null && upperBound < LIMITS.flakyBelowPct
}

/** Returns the points of uptime, -30 to 0. */
export function scoreUptime(uptime: Uptime): number {
  if (uptime.upperBound === null || uptime.down === 0) return 0
  const below = LIMITS.uptimeTargetPct - uptime.upperBound
  return below <= 0 ? 0 : Math.max(POINTS.uptimeMax, -Math.round(POINTS.uptimePerPoint * below))
}
