import { isFlag, type Reason } from '@touchstone402/shared'
import type { Observation } from '../facts/facts.ts'
import type { Evidence } from './evidence.ts'
import { describeFlag, FLAG_RULES, type RaisedFlag, severityOf } from './flags.ts'
import { hours, LIMITS } from './spec.ts'

const STATUS_MESSAGES = {
  dark: 'Every probe failed for at least 30 minutes.',
  invalid: 'Every probe was answered without a valid payment challenge for at least 30 minutes.',
}

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
  /** Whether an open incident publishes the test purchases that were not delivered. */
  readonly isHoneypot: boolean
}

/** Returns the evidence that was published first, for as long as the finding lasts; the store keeps it until then. */
function pinned(code: string, ids: readonly string[], { before }: Evidence): string[] {
  const isPerFinding = isFlag(code) && FLAG_RULES[code].isPerFinding === true
  const isSame = ({ evidence }: Reason) => !isPerFinding || evidence[0] === ids[0]
  const first = before?.reasons.find((reason) => reason.code === code && isSame(reason))?.evidence ?? []
  return [...(first.length > 0 ? first : ids)]
}

/** Explains a verdict: one reason per finding, with the ids of its evidence. */
export function explain(
  raised: readonly RaisedFlag[],
  evidence: Evidence,
  { pending, elsewhere, wasPoor, isHoneypot }: Doubts,
): Reason[] {
  const { track, observations, refusals } = evidence
  const { status, degraded } = track
  const reasons: Reason[] = []
  const add = (severity: Reason['severity'], code: string, ids: readonly string[], message: string) => {
    // A finding without public evidence is not critical. Purchases are withheld until an incident cites them.
    const isPublic = ids.length > 0 && (code !== 'no_delivery' || isHoneypot)
    const shown = severity === 'critical' && !isPublic ? 'warn' : severity
    reasons.push({ code, severity: shown, message, evidence: [...ids] })
  }
  for (const one of raised) {
    const ids = pinned(one.flag, one.evidence, evidence)
    add(severityOf(one.flag), one.flag, ids, describeFlag({ ...one, evidence: ids }, evidence))
  }
  const last = observations.at(-1)
  const idsOf = (probes: readonly Observation[], most: number) => probes.slice(-most).map(({ id }) => id)
  const failed = observations.filter(({ outcome }) => outcome === 'down')
  const downs = idsOf(failed, LIMITS.darkAfterDowns)
  if (status === 'dark' || status === 'invalid')
    add('critical', status, pinned(status, downs, evidence), STATUS_MESSAGES[status])
  else if (degraded)
    add('warn', 'degraded', downs.slice(-1), 'The last probe failed and is not confirmed yet.')
  if (pending.length > 0) {
    const message = 'The last probe named another receiver, which is not confirmed yet.'
    add('warn', 'receiver_unconfirmed', pending, message)
  }
  if (refusals.length > 0 && status === 'live') {
    const message = `The last ${refusals.length} probes were refused or answered in an unknown form, so the terms cannot be checked.`
    add('warn', 'refused', idsOf(refusals, LIMITS.refusedProbes), message)
  }
  const isUnread = last?.outcome === 'not_measured' && last.problems.some((code) => UNREAD.has(code))
  const unknown = [...elsewhere, ...(isUnread ? [last.id] : [])]
  if (unknown.length > 0) {
    const message = 'Every offer is on a network, or in a form, that the service does not know.'
    add('info', 'network_unknown', unknown, message)
  }
  if (last?.problems.includes('protocol_other') === true) {
    const message = 'The endpoint asks for payment by another protocol than x402.'
    add('info', 'protocol_other', [last.id], message)
  }
  if (last?.cause === 'opted_out')
    add('info', 'opted_out', [last.id], 'The host declines probes, so nothing is measured.')
  if (last?.cause === 'documents_unread') {
    const message = 'The documents of its host could not be read in time, so its audit is not finished.'
    add('info', 'documents_unread', [last.id], message)
  }
  if (wasPoor) {
    const message = `Failed probes brought the score below ${LIMITS.cautionBelow} within the last ${hours(LIMITS.flakyMemoryMs)}.`
    add('warn', 'score_recovering', downs, message)
  }
  return reasons
}
