import type { Time } from '../facts/facts.ts'
import type { Uptime } from '../facts/hostDocument.ts'
import { betaQuantile } from './beta.ts'
import { longestIntervalMs } from './memory/intervals.ts'
import { readEntries, type UptimeEntry, type UptimeLog } from './memory/uptimeLog.ts'
import { LIMITS, POINTS } from './spec.ts'

const round2 = (value: number) => Math.round(value * 100) / 100

/** Probes that count for uptime, and the time since the last of them. */
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
  const [probes, time] = [newSum(), newSum()]
  let notMeasured = 0
  for (const { at, outcome, ms } of spreadTime(sample, now)) {
    if (at <= now - LIMITS.uptimeWindowMs) continue
    if (outcome === 'not_measured') {
      notMeasured += 1
      continue
    }
    const weight = decay(now - at)
    add(probes, outcome, 1, weight)
    add(time, outcome, ms, (weight * ms) / LIMITS.uptimeTimeUnitMs)
  }
  const { up, down } = probes
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

function add(sum: Sum, outcome: 'up' | 'down', amount: number, weight: number): void {
  if (outcome === 'up') {
    sum.up += amount
    sum.upWeight += weight
  } else {
    sum.down += amount
    sum.downWeight += weight
  }
}

/**
 * Spreads time over scheduled probes: each carries half the gap to its neighbours, the last one half the gap to `now`.
 * Where two looks of the crawl lie further apart than the schedule ever puts them, the rest was our own downtime and is
 * carried by none. Other probes carry no time.
 */
function spreadTime({ entries, lastAt, darkFrom, sinceMs }: UptimeSample, now: Time) {
  // Up to an earlier probe nothing was watched after it.
  const unwatchedMs = lastAt === null ? 0 : now - lastAt
  const tailMs =
    unwatchedMs < 0
      ? 0
      : sinceMs + Math.min(unwatchedMs, longestIntervalMs((lastAt ?? 0) - (darkFrom ?? now * 2)))
  const spread: { readonly at: Time; readonly outcome: UptimeEntry['outcome']; readonly ms: number }[] = []
  let afterMs = tailMs
  const first = entries.findIndex(({ isScheduled }) => isScheduled)
  for (let place = entries.length - 1; place >= 0; place--) {
    const entry = entries[place]
    if (entry === undefined || entry.at > now) continue
    const { at, outcome, isScheduled, gapMs } = entry
    const beforeMs = place === first ? 0 : gapMs
    const ms = isScheduled ? Math.min(LIMITS.uptimeProbeMaxMs, (beforeMs + afterMs) / 2) : 0
    spread.push({ at, outcome, ms })
    if (isScheduled) afterMs = gapMs
  }
  // Oldest first, since sums of weights depend on the order in their last digits.
  return spread.reverse()
}

/**
 * Returns the uptime with the lowest upper bound, now or at a failed probe of the last 24 h. The memory prevents flapping.
 * @param current the uptime now. @default measured
 */
export function lowestUptime(
  sample: UptimeSample,
  now: Time,
  current: Uptime = measureUptime(sample, now),
): Uptime {
  const moments = sample.entries.filter(
    ({ at, outcome, isScheduled }) =>
      isScheduled && outcome === 'down' && at > now - LIMITS.flakyMemoryMs && at <= now,
  )
  return moments
    .map(({ at }) => measureUptime(sample, at))
    .reduce(
      (least, uptime) => ((uptime.upperBound ?? 100) < (least.upperBound ?? 100) ? uptime : least),
      current,
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
