import type { Reason, Status } from '@touchstone402/shared'
import type { Observation } from '../facts/facts.ts'
import type { RaisedFlag } from './flags.ts'
import { FLAG_SPECS, LIMITS } from './spec.ts'
import type { StatusTrack } from './status.ts'

const SEVERITY = { clean: 'info', low: 'info', medium: 'warn', high: 'critical' } as const

const STATUS_MESSAGES: Partial<Record<Status, string>> = {
  dark: 'The endpoint did not answer in several looks over at least 30 minutes.',
  invalid:
    'The endpoint answered without a valid payment challenge in several looks over at least 30 minutes.',
}

/** The findings behind a verdict in words, each with the looks that it rests on. */
export function explain(
  raised: readonly RaisedFlag[],
  track: StatusTrack,
  observations: readonly Observation[],
  pending: readonly Observation[],
): Reason[] {
  const reasons: Reason[] = raised.map(({ flag, evidence }) => ({
    code: flag,
    severity: SEVERITY[FLAG_SPECS[flag].risk],
    message: FLAG_SPECS[flag].meaning,
    evidence: [...evidence],
  }))
  const message = STATUS_MESSAGES[track.status]
  if (message !== undefined) {
    const evidence = observations.filter(({ outcome }) => outcome === 'down').slice(-LIMITS.darkAfterDowns)
    reasons.push({
      code: track.status,
      severity: 'critical',
      message,
      evidence: evidence.map(({ id }) => id),
    })
  } else if (track.degraded) {
    const last = observations.findLast(({ outcome }) => outcome === 'down')
    reasons.push({
      code: 'degraded',
      severity: 'warn',
      message: 'The last look failed; it counts once it is confirmed.',
      evidence: last === undefined ? [] : [last.id],
    })
  }
  if (pending.length > 0) {
    reasons.push({
      code: 'receiver_unconfirmed',
      severity: 'warn',
      message: 'The last look named another receiver; it counts once it is confirmed.',
      evidence: pending.map(({ id }) => id),
    })
  }
  return reasons
}
