import type { Status } from '@touchstone402/shared'
import { INVALID_CAUSES, type Observation, type Time } from '../../facts/facts.ts'
import type { StatusTrack, StatusTurn } from '../memory/status.ts'
import { LIMITS } from '../spec.ts'

/**
 * Derives the status from all probes, oldest first. `dark` and `invalid` take 3 consecutive downs over at least
 * 30 minutes, recovery takes 2 consecutive ups. `not_measured` changes nothing.
 */
export function trackStatus(observations: readonly Observation[]): StatusTrack {
  let status: Status = 'unmeasured'
  let wasLive = false
  let downs: Observation[] = []
  let ups: Observation[] = []
  let confirmedAt: Time | null = null
  let darkSince: Time | null = null
  const turns: StatusTurn[] = []
  for (const probe of observations) {
    if (probe.outcome === 'not_measured') continue
    if (probe.outcome === 'up') {
      downs = []
      ups = [...ups, probe].slice(-LIMITS.recoveredAfterUps)
      if (status === 'unmeasured') status = 'live'
      else if (status !== 'live' && ups.length >= LIMITS.recoveredAfterUps) {
        // An endpoint that was never live is new, not recovered.
        if (wasLive) turns.push({ kind: 'recovered', at: probe.at, before: status, after: 'live' })
        status = 'live'
      }
      if (status === 'live') {
        wasLive = true
        darkSince = null
        confirmedAt = probe.at
      }
      continue
    }
    ups = []
    downs.push(probe)
    const confirmed = confirmedDown(downs)
    if (confirmed === null) continue
    if (status === 'live') turns.push({ kind: 'gone_dark', at: probe.at, before: status, after: confirmed })
    status = confirmed
    confirmedAt = probe.at
    darkSince ??= downs[0]?.at ?? probe.at
  }
  const degraded = status === 'live' || status === 'unmeasured' ? downs.length > 0 : ups.length > 0
  return { status, degraded, darkSince, turns, downs: downs.length, confirmedAt }
}

function confirmedDown(downs: readonly Observation[]): 'dark' | 'invalid' | null {
  const first = downs[0]
  const last = downs.at(-1)
  if (first === undefined || last === undefined) return null
  if (downs.length < LIMITS.darkAfterDowns || last.at - first.at < LIMITS.darkAfterMs) return null
  const latest = downs.slice(-LIMITS.darkAfterDowns)
  // An answer of the seller's may be about one client identity.
  const isAnswered = latest.every(({ cause }) => cause === 'not_found' || cause === 'http_error')
  if (isAnswered && new Set(downs.map(({ client }) => client)).size < 2) return null
  return latest.every(({ cause }) => INVALID_CAUSES.has(cause)) ? 'invalid' : 'dark'
}
