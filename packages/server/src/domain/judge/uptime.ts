import type { Observation, Time } from '../facts/facts.ts'
import type { Uptime } from '../facts/hostDocument.ts'
import { betaQuantile } from './beta.ts'
import { LIMITS, POINTS } from './spec.ts'

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

/** Measures uptime over the last 30 days. For the bounds, a probe's weight halves every 7 days. */
export function measureUptime(observations: readonly Observation[], now: Time): Uptime {
  let up = 0
  let down = 0
  let notMeasured = 0
  let upWeight = 0
  let downWeight = 0
  for (const { at, outcome } of uptimeSample(observations)) {
    if (at > now || at <= now - LIMITS.uptimeWindowMs) continue
    if (outcome === 'not_measured') {
      notMeasured++
      continue
    }
    const weight = 0.5 ** ((now - at) / LIMITS.uptimeHalfLifeMs)
    if (outcome === 'up') {
      up++
      upWeight += weight
    } else {
      down++
      downWeight += weight
    }
  }
  const probes = up + down
  if (probes < LIMITS.uptimeMinProbes) {
    return { up, down, notMeasured, pct: null, lowerBound: null, upperBound: null }
  }
  return {
    up,
    down,
    notMeasured,
    pct: round2((100 * up) / probes),
    lowerBound: round2(100 * betaQuantile(0.025, 1 + upWeight, 1 + downWeight)),
    upperBound: down === 0 ? 100 : round2(100 * betaQuantile(0.975, 1 + upWeight, 1 + downWeight)),
  }
}

/** Whether the upper bound of uptime was below 90 % now or at a failed probe of the last 24 h. The memory prevents flapping. */
export function isFlaky(observations: readonly Observation[], now: Time): boolean {
  const isBelow = ({ upperBound }: Uptime) => upperBound !== null && upperBound < LIMITS.flakyBelowPct
  if (isBelow(measureUptime(observations, now))) return true
  const moments = observations.filter(
    ({ at, outcome, purpose }) =>
      purpose === 'scheduled' && outcome === 'down' && at > now - LIMITS.flakyMemoryMs && at <= now,
  )
  return moments.some(({ at }) => isBelow(measureUptime(observations, at)))
}

/** Returns the points of uptime, -30 to 0. */
export function scoreUptime(uptime: Uptime): number {
  if (uptime.upperBound === null || uptime.down === 0) return 0
  const below = LIMITS.uptimeTargetPct - uptime.upperBound
  return below <= 0 ? 0 : Math.max(POINTS.uptimeMax, -Math.round(POINTS.uptimePerPoint * below))
}
