import type { Status } from '@touchstone402/shared'
import { INVALID_CAUSES, type Observation, type Time } from '../facts/facts.ts'
import { LIMITS } from './spec.ts'

/** A confirmed change of status. */
type StatusTurn = {
  readonly kind: 'gone_dark' | 'recovered'
  readonly at: Time
  readonly before: Status
  readonly after: Status
}

/** Status before the first probe. */
export type StatusBefore = {
  readonly status: Status
  readonly darkSince: Time | null
  readonly confirmedAt: Time | null
  readonly wasLive: boolean
  /** Confirmed changes of status since then, oldest first. */
  readonly turns: readonly Pick<StatusTurn, 'at' | 'after'>[]
}

/** The status of an endpoint, derived from its probes. */
export type StatusTrack = ReturnType<typeof trackStatus>

/**
 * Derives the status from probes, oldest first. `dark` and `invalid` take 3 consecutive downs over at least 30 minutes,
 * recovery takes 2 consecutive ups. `not_measured` changes nothing.
 */
export function trackStatus(observations: readonly Observation[], before: Partial<StatusBefore> = {}) {
  let { status = 'unmeasured', wasLive = false, confirmedAt = null, darkSince = null } = before
  const { turns: published = [] } = before
  let known = 0
  let downs: Observation[] = []
  let ups = 0
  const turns: StatusTurn[] = []
  for (const probe of observations) {
    const { at, outcome } = probe
    if (outcome === 'not_measured') continue
    for (let turn = published[known]; turn !== undefined && turn.at <= at; turn = published[++known])
      status = turn.after
    if (outcome === 'up') {
      downs = []
      ups += 1
      if (status !== 'live' && status !== 'unmeasured' && ups < LIMITS.recoveredAfterUps) continue
      // An endpoint that was never live is new, not recovered.
      if (status !== 'live' && wasLive) turns.push({ kind: 'recovered', at, before: status, after: 'live' })
      status = 'live'
      wasLive = true
      darkSince = null
      confirmedAt = at
      continue
    }
    ups = 0
    downs.push(probe)
    const confirmed = confirmedDown(downs)
    if (confirmed === null) continue
    if (status === 'live') turns.push({ kind: 'gone_dark', at, before: status, after: confirmed })
    status = confirmed
    confirmedAt = at
    darkSince ??= downs[0]?.at ?? at
  }
  const degraded = status === 'live' || status === 'unmeasured' ? downs.length > 0 : ups > 0
  return {
    status,
    /** Whether the last probes contradict the status and are not confirmed yet. */
    degraded,
    /** Time of the first failed probe of the outage, while dark or invalid. */
    darkSince,
    turns,
    /** Number of consecutive `down` probes at the end. */
    downs: downs.length,
    /** Time of the last probe that confirms the status. An unconfirmed `down` does not extend a live status. */
    confirmedAt,
  }
}

function confirmedDown(downs: readonly Observation[]): 'dark' | 'invalid' | null {
  const first = downs[0]
  const last = downs.at(-1)
  if (first === undefined || last === undefined) return null
  if (downs.length < LIMITS.darkAfterDowns || last.at - first.at < LIMITS.darkAfterMs) return null
  const latest = downs.slice(-LIMITS.darkAfterDowns)
  // An answer of the seller's may be about one client identity.
  const isAnswered = latest.every(({ cause }) => cause === 'not_found' || cause === 'http_error')
  if (isAnswered && downs.every(({ client }) => client === first.client)) return null
  return latest.every(({ cause }) => INVALID_CAUSES.has(cause)) ? 'invalid' : 'dark'
}
