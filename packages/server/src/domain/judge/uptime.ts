import type { Observation, Time } from '../facts/facts.ts'
import type { Uptime } from '../facts/hostDocument.ts'
import { betaQuantile } from './beta.ts'
import { LIMITS, POINTS } from './spec.ts'

const round2 = (value: number) => Math.round(value * 100) / 100

/**
 * The looks that uptime is made of.
 *
 * Only looks on schedule are a fair sample, and the look that shows a fault to be over. Other confirming looks are
 * made because something failed, and live ones at a moment that their buyer chose: counting them would make one fault
 * into many, or let a seller buy its uptime.
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
 * Counts and bounds of uptime over the last 30 days. Recent probes weigh more: a probe's weight halves every
 * 7 days. What was not measured counts neither way.
 */
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

/**
 * Whether the upper bound of uptime lay below 90 % at a look of the last 24 h. A bound that wavers about its limit
 * says the same thing all the while.
 */
export function isFlaky(observations: readonly Observation[], now: Time): boolean {
  const isBelow = ({ upperBound }: Uptime) => upperBound !== null && upperBound < LIMITS.flakyBelowPct
  if (isBelow(measureUptime(observations, now))) return true
  const moments = observations.filter(
    ({ at, outcome, purpose }) =>
      purpose === 'scheduled' && outcome === 'down' && at > now - LIMITS.flakyMemoryMs && at <= now,
  )
  return moments.some(({ at }) => isBelow(measureUptime(observations, at)))
}

/** Points that uptime costs: 0 to -30. */
export function scoreUptime(uptime: Uptime): number {
  if (uptime.upperBound === null || uptime.down === 0) return 0
  const below = LIMITS.uptimeTargetPct - uptime.upperBound
  return below <= 0 ? 0 : Math.max(POINTS.uptimeMax, -Math.round(POINTS.uptimePerPoint * below))
}
