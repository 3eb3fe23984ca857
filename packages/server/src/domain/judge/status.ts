import type { Status } from '@touchstone402/shared'
import { INVALID_CAUSES, type Observation, type Time } from '../facts/facts.ts'
import { LIMITS } from './spec.ts'

/** A confirmed change of status. */
export type StatusTurn = {
  readonly kind: 'gone_dark' | 'recovered'
  readonly at: Time
  readonly before: Status
  readonly after: Status
  readonly looks: readonly string[]
}

/** Where an endpoint stands, by its looks so far. */
export type StatusTrack = {
  readonly status: Status
  /** A look contradicts the status and awaits confirmation. */
  readonly degraded: boolean
  readonly turns: readonly StatusTurn[]
  /** Consecutive `down` at the end. */
  readonly downs: number
  /** The last look that bears the status out; a `down` does not keep alive what earlier looks said of a live endpoint. */
  readonly confirmedAt: Time | null
}

/**
 * Follows the status through all looks, oldest first. One bad look never convicts: `dark` or `invalid` takes 3
 * consecutive downs over at least 30 minutes, the way back from there 2 consecutive ups. What was not measured
 * changes nothing.
 */
export function trackStatus(observations: readonly Observation[]): StatusTrack {
  let status: Status = 'unmeasured'
  let wasLive = false
  let downs: Observation[] = []
  let ups: Observation[] = []
  let confirmedAt: Time | null = null
  const turns: StatusTurn[] = []
  const turn = (kind: StatusTurn['kind'], after: Status, looks: readonly Observation[]) => {
    turns.push({ kind, at: looks.at(-1)?.at ?? 0, before: status, after, looks: looks.map(({ id }) => id) })
  }
  for (const look of observations) {
    if (look.outcome === 'not_measured') continue
    if (look.outcome === 'up') {
      downs = []
      ups = [...ups, look].slice(-LIMITS.recoveredAfterUps)
      if (status === 'unmeasured') status = 'live'
      else if (status !== 'live' && ups.length >= LIMITS.recoveredAfterUps) {
        // What was never live has not recovered: it is new.
        if (wasLive) turn('recovered', 'live', ups)
        status = 'live'
      }
      if (status === 'live') {
        wasLive = true
        confirmedAt = look.at
      }
      continue
    }
    ups = []
    downs.push(look)
    const confirmed = confirmedDown(downs)
    if (confirmed === null) continue
    if (status === 'live') turn('gone_dark', confirmed, downs.slice(-LIMITS.darkAfterDowns))
    status = confirmed
    confirmedAt = look.at
  }
  const degraded = status === 'live' || status === 'unmeasured' ? downs.length > 0 : ups.length > 0
  return { status, degraded, turns, downs: downs.length, confirmedAt }
}

function confirmedDown(downs: readonly Observation[]): 'dark' | 'invalid' | null {
  const first = downs[0]
  const last = downs.at(-1)
  if (first === undefined || last === undefined) return null
  if (downs.length < LIMITS.darkAfterDowns || last.at - first.at < LIMITS.darkAfterMs) return null
  return downs.slice(-LIMITS.darkAfterDowns).every(({ cause }) => INVALID_CAUSES.has(cause))
    ? 'invalid'
    : 'dark'
}
