import type { Flag, Reason } from '@touchstone402/shared'
import type { Evidence } from './evidence.ts'
import type { RaisedFlag } from './flags.ts'
import { FLAG_SPECS, hours, LIMITS } from './spec.ts'

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

const OPTED_OUT_MESSAGE = 'The host declines probes, so nothing is measured.'

/** Problems of entries that are valid, but cannot be judged. */
const UNREAD: ReadonlySet<string> = new Set(['network_unknown', 'entry_unsupported'])

/** Reasons for doubt about a verdict. */
type Doubts = {
  /** Ids of probes that named another receiver, not confirmed yet. */
  readonly pending: readonly string[]
  /** Ids of probes all of whose offers are on unknown networks. */
  readonly elsewhere: readonly string[]
  /** Whether failed probes brought the score down within the last day. */
  readonly wasPoor: boolean
}

/** Explains a verdict: one reason per finding, with the ids of its evidence. */
export function explain(
  raised: readonly RaisedFlag[],
  { track: { status, degraded }, looks, refusals }: Pick<Evidence, 'track' | 'looks' | 'refusals'>,
  { pending, elsewhere, wasPoor }: Doubts,
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
  const { downs, last } = looks
  if (status === 'dark' || status === 'invalid') {
    reasons.push(reason(status, 'critical', STATUS_MESSAGES[status], downs.slice(-LIMITS.darkAfterDowns)))
  } else if (degraded) {
    const message = 'The last probe failed and is not confirmed yet.'
    reasons.push(reason('degraded', 'warn', message, downs.slice(-1)))
  }
  if (pending.length > 0) {
    const message = 'The last probe named another receiver, which is not confirmed yet.'
    reasons.push(reason('receiver_unconfirmed', 'warn', message, pending))
  }
  if (refusals.count > 0 && status === 'live') {
    const message = `The last ${refusals.count} probes were refused or answered in an unknown form, so the terms cannot be checked.`
    reasons.push(reason('refused', 'warn', message, refusals.ids))
  }
  const isUnread = last?.outcome === 'not_measured' && last.problems.some((code) => UNREAD.has(code))
  const unknown = [...elsewhere, ...(isUnread ? [last.id] : [])]
  if (unknown.length > 0) {
    reasons.push(reason('network_unknown', 'info', UNKNOWN_MESSAGE, unknown))
  }
  if (last?.problems.includes('protocol_other') === true)
    reasons.push(reason('protocol_other', 'info', OTHER_MESSAGE, [last.id]))
  if (last?.optedOut === true) reasons.push(reason('opted_out', 'info', OPTED_OUT_MESSAGE, [last.id]))
  if (wasPoor) {
    const message = `Failed probes brought the score below ${LIMITS.cautionBelow} within the last ${hours(LIMITS.flakyMemoryMs)}.`
    reasons.push(reason('score_recovering', 'warn', message, downs.slice(-LIMITS.darkAfterDowns)))
  }
  return reasons
}
