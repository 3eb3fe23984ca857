import type { Observation, Time } from '../../facts/facts.ts'
import type { Uptime } from '../../facts/hostDocument.ts'
import { betaQuantile } from '../beta.ts'
import { longestIntervalMs } from '../memory/intervals.ts'
import { LIMITS } from '../spec.ts'

const round2 = (value: number) => Math.round(value * 100) / 100

/**
 * Returns the probes that count for uptime: scheduled ones, and the first success after a failure.
 * Other confirming probes would count one fault several times; live checks would let a seller buy its uptime.
 */
export function uptimeSample(observations: readonly Observation[]): Observation[] {
  let isDown = false
  return observations.filter(({ outcome, purpose }) => {
    const counts = purpose === 'scheduled' || (purpose === 'confirm' && isDown && outcome === 'up')
    if (outcome !== 'not_measured') isDown = outcome === 'down'
    return counts
  })
}

/**
 * Measures uptime over the last 30 days, by probes and by time, and states the worse of the two: probes alone flatter a
 * service that is dark, since it is probed less often; time alone flatters one that fails at random, since failures are
 * followed up quickly. For the bounds, a weight halves every 7 days.
 */
export function measureUptime(observations: readonly Observation[], now: Time): Uptime {
  const isInWindow = ({ at }: Observation) => at <= now && at > now - LIMITS.uptimeWindowMs
  const sample = uptimeSample(observations).filter(isInWindow)
  const [probes, time] = [newSum(), newSum()]
  for (const { at, outcome } of sample) add(probes, outcome, 1, decay(now - at))
  for (const { at, outcome, ms } of spreadTime(observations, now)) {
    if (at > now - LIMITS.uptimeWindowMs)
      add(time, outcome, ms, (decay(now - at) * ms) / LIMITS.uptimeTimeUnitMs)
  }
  const { up, down } = probes
  const notMeasured = sample.length - up - down
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

function add(sum: Sum, outcome: Observation['outcome'], amount: number, weight: number): void {
  if (outcome === 'not_measured') return
  sum[outcome] += amount
  sum[`${outcome}Weight`] += weight
}

/**
 * Spreads time over scheduled probes: each carries half the gap to its neighbours, the last one half the gap to `now`.
 * Where two looks of the crawl lie further apart than the schedule ever puts them, the rest was our own downtime and is
 * carried by none.
 */
function spreadTime(observations: readonly Observation[], now: Time) {
  const probes: (Pick<Observation, 'at' | 'outcome'> & { readonly watchedMs: number })[] = []
  let watchedMs = 0
  let last: Time | undefined
  let darkFrom = Number.NEGATIVE_INFINITY
  const watchUntil = (at: Time) => {
    if (last !== undefined) watchedMs += Math.min(at - last, longestIntervalMs(last - darkFrom))
    last = at
  }
  for (const { at, outcome, purpose } of observations) {
    if (at > now || purpose === 'live') continue
    watchUntil(at)
    if (purpose === 'scheduled') probes.push({ at, outcome, watchedMs })
    if (outcome === 'up') darkFrom = Number.POSITIVE_INFINITY
    else if (outcome === 'down') darkFrom = Math.min(darkFrom, at)
  }
  watchUntil(now)
  return probes.map(({ at, outcome, watchedMs: own }, index) => ({
    at,
    outcome,
    ms: Math.min(
      LIMITS.uptimeProbeMaxMs,
      ((probes[index + 1]?.watchedMs ?? watchedMs) - (probes[index - 1]?.watchedMs ?? own)) / 2,
    ),
  }))
}

/** Returns the uptime with the lowest upper bound, now or at a failed probe of the last 24 h. The memory prevents flapping. */
export function lowestUptime(observations: readonly Observation[], now: Time): Uptime {
  const moments = observations.filter(
    ({ at, outcome, purpose }) =>
      purpose === 'scheduled' && outcome === 'down' && at > now - LIMITS.flakyMemoryMs && at <= now,
  )
  return moments
    .map(({ at }) => measureUptime(observations, at))
    .reduce(
      (least, uptime) => ((uptime.upperBound ?? 100) < (least.upperBound ?? 100) ? uptime : least),
      measureUptime(observations, now),
    )
}
