import type { Flag, Reason } from '@touchstone402/shared'
import type { Observation } from '../facts/facts.ts'
import type { RaisedFlag } from './flags.ts'
import { FLAG_SPECS, LIMITS } from './spec.ts'
import type { StatusTrack } from './status.ts'

const SEVERITY = { clean: 'info', low: 'info', medium: 'warn', high: 'critical' } as const

/** Returns the severity of a flag. */
export function severityOf(flag: Flag): Reason['severity'] {
  return SEVERITY[FLAG_SPECS[flag].risk]
}

const STATUS_MESSAGES = {
  dark: 'The endpoint did not answer in several probes over at least 30 minutes.',
  invalid:
    'The endpoint answered without a valid payment challenge in several probes over at least 30 minutes.',
}

/** Explains a verdict: one reason per finding, with the ids of its evidence. */
export function explain(
  raised: readonly RaisedFlag[],
  { status, degraded }: StatusTrack,
  observations: readonly Observation[],
  pending: readonly Observation[],
): Reason[] {
  const reasons = raised.map(
    ({ flag, evidence }): Reason => ({
      code: flag,
      severity: severityOf(flag),
      message: FLAG_SPECS[flag].meaning,
      evidence: [...evidence],
    }),
  )
  const add = (code: string, severity: Reason['severity'], message: string, found: readonly Observation[]) =>
    reasons.push({ code, severity, message, evidence: found.map(({ id }) => id) })

  const downs = observations.filter(({ outcome }) => outcome === 'down')
  if (status === 'dark' || status === 'invalid') {
    add(status, 'critical', STATUS_MESSAGES[status], downs.slice(-LIMITS.darkAfterDowns))
  } else if (degraded) {
    add('degraded', 'warn', 'The last probe failed and is not confirmed yet.', downs.slice(-1))
  }
  if (pending.length > 0) {
    const message = 'The last probe named another receiver, which is not confirmed yet.'
    add('receiver_unconfirmed', 'warn', message, pending)
  }
  return reasons
}
