import type { Observation, Time } from '../facts/facts.ts'
import type { Uptime } from '../facts/hostDocument.ts'
import { betaQuantile } from './beta.ts'
import { longestIntervalMs } from './schedule.ts'
import { LIMITS, POINTS } from './spec.ts'

/** A probe that counts for uptime. */
export type UptimeEntry = Pick<Observation, 'at' | 'outcome'> & {
  /**
   * Time that the crawl watched since the scheduled probe before, in milliseconds; null for the first success after a
   * failure.
   */
  readonly gapMs: number | null
  /** Weight at the time of the last entry. */
  readonly weight: number
}

/** Probes that count for uptime, oldest first, and the time after the last of them. */
export type UptimeSample = {
  readonly entries: readonly UptimeEntry[]
  /** Returns the time that the crawl watched between the last scheduled probe and a moment, in milliseconds. */
  readonly watchedUntil: (now: Time) => number
}

/**
 * Selects the probes that count for uptime: scheduled ones, and the first success after a failure. Other confirming
 * probes would count one fault several times; live checks would let a seller buy its uptime.
 *
 * The crawl watches an endpoint from one probe to the next, but no longer than the gap that was drawn before the latter,
 * or, where none was recorded, than the schedule put between two: the rest was our own downtime.
 */
export function sampleUptime(observations: readonly Observation[]): UptimeSample {
  const entries: Omit<UptimeEntry, 'weight'>[] = []
  let isDown = false
  let lastAt: Time | undefined
  let darkFrom = Number.NEGATIVE_INFINITY
  let sinceMs = 0
  const watchedUntil = (at: Time, gapMs?: number) =>
    lastAt === undefined
      ? 0
      : Math.max(0, sinceMs + Math.min(at - lastAt, gapMs ?? longestIntervalMs(lastAt - darkFrom)))
  for (const { at, outcome, purpose, gapMs } of observations) {
    const isRecovery = purpose === 'confirm' && isDown && outcome === 'up'
    if (outcome !== 'not_measured') isDown = outcome === 'down'
    if (purpose === 'live') continue
    sinceMs = watchedUntil(at, gapMs)
    if (lastAt !== undefined || purpose === 'scheduled') lastAt = at
    if (purpose === 'scheduled') {
      entries.push({ at, outcome, gapMs: sinceMs })
      sinceMs = 0
    } else if (isRecovery) entries.push({ at, outcome, gapMs: null })
    if (outcome === 'up') darkFrom = Number.POSITIVE_INFINITY
    else if (outcome === 'down') darkFrom = Math.min(darkFrom, at)
  }
  const end = entries.at(-1)?.at ?? 0
  const weighted = entries.map(({ at, outcome, gapMs }) => {
    const weight = 0.5 ** ((end - at) / LIMITS.uptimeHalfLifeMs)
    return { at, outcome, gapMs, weight }
  })
  return { entries: weighted, watchedUntil: (now) => watchedUntil(now) }
}

/** Number of probes of one outcome and the time that they carry, and both by weight. */
const nothing = () => ({ probes: 0, probesWeight: 0, ms: 0, msWeight: 0 })

/**
 * Measures uptime over the last 30 days, by probes and by time, and states the worse of the two: probes alone flatter a
 * service that is dark, since it is probed less often; time alone flatters one that fails at random, since failures are
 * followed up quickly. For the bounds, a weight halves every 7 days. Each scheduled probe carries half the watched time to
 * its neighbours, the last one half the time to `now`; other probes carry no time.
 * @param now time of a scheduled probe, or none before the last probe
 */
export function measureUptime({ entries, watchedUntil }: UptimeSample, now: Time): Uptime {
  const [up, down, unknown] = [nothing(), nothing(), nothing()]
  const end = entries.findLastIndex(({ at }) => at <= now)
  let afterMs = end === entries.length - 1 ? watchedUntil(now) : 0
  for (let place = end; place >= 0; place--) {
    const entry = entries[place]
    if (entry === undefined || entry.at <= now - LIMITS.uptimeWindowMs) break
    const { outcome, gapMs, weight } = entry
    const ms = gapMs === null ? 0 : Math.min(LIMITS.uptimeProbeMaxMs, (gapMs + afterMs) / 2)
    afterMs = gapMs ?? afterMs
    const sum = outcome === 'up' ? up : outcome === 'down' ? down : unknown
    sum.probes += 1
    sum.probesWeight += weight
    sum.ms += ms
    sum.msWeight += weight * ms
  }
  const counts = { up: up.probes, down: down.probes, notMeasured: unknown.probes }
  if (up.probes + down.probes < LIMITS.uptimeMinProbes)
    return { ...counts, pct: null, lowerBound: null, upperBound: null }
  const aging = 0.5 ** ((now - (entries.at(-1)?.at ?? now)) / LIMITS.uptimeHalfLifeMs)
  const agingMs = aging / LIMITS.uptimeTimeUnitMs
  const measures = [
    { ups: up.probes, downs: down.probes, a: aging * up.probesWeight, b: aging * down.probesWeight },
    { ups: up.ms, downs: down.ms, a: agingMs * up.msWeight, b: agingMs * down.msWeight },
  ].slice(0, down.ms === 0 ? 1 : 2)
  const worse = (read: (measure: (typeof measures)[number]) => number) =>
    Math.round(100 * Math.min(...measures.map(read)) * 100) / 100
  return {
    ...counts,
    pct: worse(({ ups, downs }) => ups / (ups + downs)),
    lowerBound: worse(({ a, b }) => betaQuantile(0.025, 1 + a, 1 + b)),
    upperBound: down.probes === 0 ? 100 : worse(({ a, b }) => betaQuantile(0.975, 1 + a, 1 + b)),
  }
}

/**
 * Returns the uptime with the lowest upper bound, now or at a failed probe of the last 24 h. The memory prevents flapping.
 * @param current the uptime now. @default measured
 */
export function lowestUptime(sample: UptimeSample, now: Time, current = measureUptime(sample, now)): Uptime {
  let least = current
  for (const { at, outcome, gapMs } of sample.entries) {
    if (gapMs === null || outcome !== 'down' || at <= now - LIMITS.flakyMemoryMs || at > now) continue
    const uptime = measureUptime(sample, at)
    if ((uptime.upperBound ?? 100) < (least.upperBound ?? 100)) least = uptime
  }
  return least
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
