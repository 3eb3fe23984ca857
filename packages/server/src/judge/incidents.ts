import { type Incident, sameAddress } from '@touchstone402/shared'
import { addressProof, transactionProof } from '../facts/explorer.ts'
import type { Time } from '../facts/facts.ts'
import { recordId } from '../facts/ids.ts'
import { toDate, toTimestamp } from '../facts/times.ts'
import { undeliveredPurchases } from './delivery.ts'
import type { Epoch, Paid } from './epochs.ts'
import type { Evidence } from './evidence.ts'
import type { RaisedFlag } from './flags.ts'
import { addressesOf, isDisjoint, normalAddress } from './offers.ts'
import { LIMITS } from './spec.ts'

/** A condition that keeps an incident open while it holds. */
type Condition = Pick<Incident, 'kind' | 'severity' | 'summary' | 'observations' | 'proof' | 'receiver'> & {
  /** Distinguishes occurrences of one kind. */
  readonly subject: string
}

/** Opens incidents whose condition holds and resolves the others. */
export function updateIncidents(evidence: Evidence, raised: readonly RaisedFlag[]): Incident[] {
  const { endpoint, host, incidents } = evidence
  const at = toTimestamp(evidence.now)
  const conditions = [
    findHijack(evidence),
    findBaitAndSwitch(evidence),
    findHoneypot(evidence),
    findUnverifiedReceiver(evidence, raised),
  ].filter((condition) => condition !== null)
  const current = conditions.map(({ subject, ...condition }): Incident => {
    const id = recordId('inc', condition.kind, endpoint, subject)
    const { explorerUrl: proofUrl } = condition.proof
    const state = { status: 'open', detectedAt: at, resolvedAt: null } as const
    return { id, ...condition, ...state, host, endpoint, proofUrl }
  })
  const updated = incidents.map((incident): Incident => {
    const now = current.find(({ id }) => id === incident.id)
    if (now === undefined)
      return incident.status === 'resolved' ? incident : { ...incident, status: 'resolved', resolvedAt: at }
    const open =
      incident.status === 'open' ? incident : { ...incident, status: 'open' as const, resolvedAt: null }
    return addPurchase(open, now)
  })
  const isKnown = ({ id }: Incident) => incidents.some((incident) => incident.id === id)
  return [...updated, ...current.filter((incident) => !isKnown(incident))]
}

/** Adds the purchase that paid the receiver after the incident was opened, since it counts at other hosts from then on. */
function addPurchase(incident: Incident, now: Incident): Incident {
  if (now.receiver?.isPaid !== true || incident.receiver?.isPaid === true) return incident
  const observations = [...new Set([...incident.observations, ...now.observations.slice(-1)])]
  return { ...incident, receiver: now.receiver, observations }
}

function findHijack({ swap, excuse, epochs, recordsOf, purchases }: Evidence): Condition | null {
  const offer = swap?.after.first
  if (swap === null || excuse !== null || offer === undefined) return null
  // Back at an earlier receiver, the hijack is over.
  const current = epochs.at(-1)
  const former = epochs.slice(0, epochs.indexOf(swap.after))
  if (current !== undefined && former.some((epoch) => sharesReceiver(epoch, current))) return null
  // Use the first record after the change: later ones may include diverted payments.
  const record = recordsOf(offer.network, offer.payTo)[0]
  if (record === undefined || record.category === 'established') return null
  if (record.receiptsEver >= LIMITS.littleHistoryReceipts) return null
  const before = swap.before.last?.payTo ?? 'unknown'
  const paid = purchases
    .filter(({ settled, payTo }) => settled && sameAddress(payTo, offer.payTo))
    .slice(0, 1)
  return {
    kind: 'receiver_hijack',
    severity: 'critical',
    subject: `${swap.after.from}`,
    summary: `The receiver changed from ${before} to ${offer.payTo} without an announcement; the new receiver had ${record.receiptsEver} USDC receipts from ${toDate(record.historyFrom)} to block ${record.blockNumber}.`,
    observations: [...swap.after.ids, ...paid.map(({ id }) => id)],
    receiver: { ...receiverOf(offer, swap.after.from), ...(paid.length > 0 && { isPaid: true as const }) },
    proof: addressProof(offer.network, offer.payTo, record.blockNumber),
  }
}

const sharesReceiver = (a: Epoch, b: Epoch) => !isDisjoint(addressesOf(a.receivers), addressesOf(b.receivers))

function findBaitAndSwitch({ bait, epochs, recordsOf }: Evidence): Condition | null {
  const offer = bait?.first.paid
  if (bait === null || offer === undefined) return null
  const { first, last } = bait
  const record = recordsOf(offer.network, offer.payTo).at(-1)
  return {
    kind: 'bait_and_switch',
    severity: 'critical',
    subject: `${first.at}`,
    summary: `The endpoint asks $${bait.askedUsd}, more than ${LIMITS.priceBaitTimes} times the $${bait.claimUsd} in the seller's own document, which was read after that price was first seen; the receiver had ${record?.receipts30d ?? 0} USDC receipts in 30 days.`,
    observations: [first.id, last.id, ...bait.readings.map(({ id }) => id)],
    receiver: receiverOf(offer, epochs.at(-1)?.from ?? first.at),
    proof: addressProof(offer.network, offer.payTo, record?.blockNumber ?? null),
  }
}

function receiverOf({ network, payTo }: Paid, namedAt: Time): NonNullable<Incident['receiver']> {
  return { network, payTo, namedAt: toTimestamp(namedAt) }
}

/** Probes of the last 90 days are read, so without any the receiver was not seen for so long. */
function findHoneypot({ purchases, probes, epochs }: Evidence): Condition | null {
  const undelivered = undeliveredPurchases(purchases)
  const first = undelivered[0]
  const last = undelivered.findLast(({ txHash }) => txHash !== null)
  if (undelivered.length < LIMITS.undeliveredPurchases) return null
  if (first === undefined || last?.txHash == null || probes.length === 0) return null
  const named = epochs.find(({ receivers }) => addressesOf(receivers).has(normalAddress(last.payTo)))
  return {
    kind: 'honeypot',
    severity: 'critical',
    subject: `${first.at}`,
    summary: `${undelivered.length} test purchases settled without a delivery.`,
    observations: undelivered.map(({ id }) => id),
    receiver: receiverOf(last, named?.from ?? first.at),
    proof: transactionProof(last.network, last.txHash, null),
  }
}

function findUnverifiedReceiver(
  { epochs, recordsOf }: Evidence,
  raised: readonly RaisedFlag[],
): Condition | null {
  const flag = raised.find(
    (entry) => entry.flag === 'receiver_unverified' || entry.flag === 'receiver_never_paid',
  )
  const offer = epochs.at(-1)?.last
  if (flag === undefined || offer === undefined) return null
  const record = recordsOf(offer.network, offer.payTo).at(-1)
  return {
    kind: 'unverified_receiver',
    severity: 'warn',
    subject: offer.payTo,
    summary:
      flag.flag === 'receiver_unverified'
        ? `The receiver ${offer.payTo} is not a usable address.`
        : `The receiver ${offer.payTo} had no USDC receipts up to block ${record?.blockNumber ?? 0}, although the listing claims calls.`,
    observations: [...flag.evidence],
    proof: addressProof(offer.network, offer.payTo, record?.blockNumber ?? null),
  }
}
