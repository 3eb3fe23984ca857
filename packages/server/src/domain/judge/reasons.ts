import type { Flag, Reason } from '@touchstone402/shared'
import type { Observation } from '../facts/facts.ts'
import type { RaisedFlag } from './flags.ts'
import { FLAG_SPECS, hours, LIMITS } from './spec.ts'
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

const UNKNOWN_MESSAGE = 'Every offer is on a network, or in a form, that the service does not know.'

const OTHER_MESSAGE = 'The endpoint asks for payment by another protocol than x402.'

/** Problems of entries that are valid, but cannot be judged. */
const UNREAD: ReadonlySet<string> = new Set(['network_unknown', 'entry_unsupported'])

/** What leaves a verdict in doubt. */
type Doubts = {
  /** Probes that named another receiver, not confirmed yet. */
  readonly pending: readonly Observation[]
  readonly refusals: readonly Observation[]
  /** Probes all of whose offers are on unknown networks. */
  readonly elsewhere: readonly Observation[]
  /** Whether failed probes brought the score down within the last day. */
  readonly wasPoor: boolean
}

/** Explains a verdict: one reason per finding, with the ids of its evidence. */
export function explain(
  raised: readonly RaisedFlag[],
  { status, degraded }: StatusTrack,
  observations: readonly Observation[],
  { pending, refusals, elsewhere, wasPoor }: Doubts,
): Reason[] {
  const reason = (
    code: string,
    severity: Reason['severity'],
    message: string,
    evidence: readonly string[],
  ): Reason => ({ code, severity, message, evidence: [...evidence] })
  const reasons = raised.map(({ flag, evidence, detail }) =>
    reason(flag, severityOf(flag), [FLAG_SPECS[flag].meaning, detail].filter(Boolean).join(' '), evidence),
  )
  const downs = idsOf(observations.filter(({ outcome }) => outcome === 'down'))
  if (status === 'dark' || status === 'invalid') {
    reasons.push(reason(status, 'critical', STATUS_MESSAGES[status], downs.slice(-LIMITS.darkAfterDowns)))
  } else if (degraded) {
    const message = 'The last probe failed and is not confirmed yet.'
    reasons.push(reason('degraded', 'warn', message, downs.slice(-1)))
  }
  if (pending.length > 0) {
    const message = 'The last probe named another receiver, which is not confirmed yet.'
    reasons.push(reason('receiver_unconfirmed', 'warn', message, idsOf(pending)))
  }
  if (refusals.length > 0 && status === 'live') {
    const message = `The last ${refusals.length} probes were refused or answered in an unknown form, so the terms cannot be checked.`
    reasons.push(reason('refused', 'warn', message, idsOf(refusals.slice(-LIMITS.refusedLooks))))
  }
  const unread = observations.slice(-1).filter(({ problems }) => problems.some((code) => UNREAD.has(code)))
  const unknown = [...elsewhere, ...unread.filter(({ outcome }) => outcome === 'not_measured')]
  if (unknown.length > 0) {
    reasons.push(reason('network_unknown', 'info', UNKNOWN_MESSAGE, idsOf(unknown)))
  }
  const other = observations.slice(-1).filter(({ problems }) => problems.includes('protocol_other'))
  if (other.length > 0) reasons.push(reason('protocol_other', 'info', OTHER_MESSAGE, idsOf(other)))
  if (wasPoor) {
    const message = `Failed probes brought the score below ${LIMITS.cautionBelow} within the last ${hours(LIMITS.flakyMemoryMs)}.`
    reasons.push(reason('score_recovering', 'warn', message, downs.slice(-LIMITS.darkAfterDowns)))
  }
  return reasons
}

const idsOf = (observations: readonly Observation[]) => observations.map(({ id }) => id)
