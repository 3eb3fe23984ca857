import type { Incident, IncidentKind, Proof } from '@touchstone402/shared'
import type { Announcement, Listing, Observation, Purchase, ReceiverRecord, Time } from '../facts/facts.ts'
import { recordId } from '../facts/ids.ts'
import { findDynamicPrice } from './clients.ts'
import { addressesOf, type Epoch } from './epochs.ts'
import { addressProof, transactionProof } from './explorer.ts'
import { findSwap, type RaisedFlag, undeliveredPurchases } from './flags.ts'
import { mainOffer } from './offers.ts'
import { findBait } from './prices.ts'
import { LIMITS } from './spec.ts'

/** Something that is the case now and is an incident while it is. */
type Condition = {
  readonly kind: IncidentKind
  readonly severity: Incident['severity']
  /** What tells this occurrence from another of its kind. */
  readonly subject: string
  readonly summary: string
  readonly observations: readonly string[]
  readonly proof: Proof
}

export type IncidentInput = {
  readonly endpoint: string
  readonly host: string
  readonly raised: readonly RaisedFlag[]
  /** Successful looks, oldest first. */
  readonly looks: readonly Observation[]
  /** The newest listing of each directory. */
  readonly listings: readonly Listing[]
  readonly epochs: readonly Epoch[]
  readonly announcements: readonly Announcement[]
  readonly purchases: readonly Purchase[]
  /** The records of an address, oldest first. */
  readonly recordsOf: (network: string, address: string) => readonly ReceiverRecord[]
  /** Incidents of this endpoint as last published. */
  readonly previous: readonly Incident[]
  readonly now: Time
}

/** The endpoint's incidents: those that hold now are open, those that no longer hold are resolved. */
export function updateIncidents(input: IncidentInput): Incident[] {
  const at = new Date(input.now).toISOString()
  const holding = findConditions(input)
  const updated = input.previous.map((incident): Incident => {
    const holds = holding.some(({ kind, subject }) => incident.id === idOf(input.endpoint, kind, subject))
    if (holds)
      return incident.status === 'open' ? incident : { ...incident, status: 'open', resolvedAt: null }
    return incident.status === 'resolved' ? incident : { ...incident, status: 'resolved', resolvedAt: at }
  })
  for (const { subject, observations, ...condition } of holding) {
    const id = idOf(input.endpoint, condition.kind, subject)
    if (updated.some((incident) => incident.id === id)) continue
    updated.push({
      id,
      ...condition,
      status: 'open',
      host: input.host,
      endpoint: input.endpoint,
      detectedAt: at,
      resolvedAt: null,
      observations: [...observations],
      proofUrl: condition.proof.explorerUrl,
    })
  }
  return updated
}

const idOf = (endpoint: string, kind: IncidentKind, subject: string) =>
  recordId('inc', kind, endpoint, subject)

function findConditions(input: IncidentInput): Condition[] {
  return [findHijack(input), findBaitAndSwitch(input), findHoneypot(input), findNobody(input)].filter(
    (condition) => condition !== null,
  )
}

function findHijack({ raised, epochs, announcements, recordsOf, now }: IncidentInput): Condition | null {
  if (!raised.some(({ flag }) => flag === 'payto_changed')) return null
  const swap = findSwap(epochs, announcements, now)
  const look = swap?.after.looks[0]
  const offer = look === undefined ? undefined : mainOffer(look)
  if (swap === null || look === undefined || offer === undefined) return null
  // Back at a receiver that was named before: whoever had replaced it has not any more.
  const current = epochs.at(-1)
  const former = epochs.slice(0, epochs.indexOf(swap.after))
  if (current !== undefined && former.some((epoch) => sharesReceiver(epoch, current))) return null
  // The first record after the swap counts: later ones may hold the diverted payments themselves.
  const record = recordsOf(offer.network, offer.payTo)[0]
  if (record === undefined || record.category === 'established') return null
  if (record.receiptsEver >= LIMITS.littleHistoryReceipts) return null
  const before = mainOffer(swap.before.looks.at(-1) ?? look)?.payTo ?? 'unknown'
  return {
    kind: 'receiver_hijack',
    severity: 'critical',
    subject: `${swap.after.from}`,
    summary: `The receiver changed from ${before} to ${offer.payTo} without an announcement; the new receiver had ${record.receiptsEver} USDC receipts at block ${record.blockNumber}.`,
    observations: swap.after.looks.slice(0, 2).map(({ id }) => id),
    proof: addressProof(offer.network, offer.payTo, record.blockNumber),
  }
}

function sharesReceiver(a: Epoch, b: Epoch): boolean {
  const others = addressesOf(b)
  return [...addressesOf(a)].some((address) => others.has(address))
}

function findBaitAndSwitch({ raised, looks, listings, recordsOf, now }: IncidentInput): Condition | null {
  const flag = raised.find((entry) => entry.flag === 'price_bait')
  const bait = findBait(looks, listings, findDynamicPrice(looks, now) !== null)
  const first = bait?.looks[0]
  const offer = first === undefined ? undefined : mainOffer(first)
  if (flag === undefined || bait === null || first === undefined || offer === undefined) return null
  const record = recordsOf(offer.network, offer.payTo).at(-1)
  return {
    kind: 'bait_and_switch',
    severity: 'critical',
    subject: `${first.at}`,
    summary: `The challenge asks $${bait.askedUsd}, over ${LIMITS.priceBaitPct} % more than the $${bait.claimUsd} of the seller's own listing, which was refreshed after that price was first seen; ${record?.receipts30d ?? 0} USDC receipts of the receiver in 30 days.`,
    observations: flag.evidence,
    proof: addressProof(offer.network, offer.payTo, record?.blockNumber ?? null),
  }
}

function findHoneypot({ raised, purchases }: IncidentInput): Condition | null {
  const undelivered = undeliveredPurchases(purchases)
  const first = undelivered[0]
  const last = undelivered.findLast(({ txHash }) => txHash !== null)
  if (!raised.some(({ flag }) => flag === 'no_delivery') || first === undefined || last?.txHash == null)
    return null
  return {
    kind: 'honeypot',
    severity: 'critical',
    subject: `${first.at}`,
    summary: `${undelivered.length} test purchases settled and nothing was delivered.`,
    observations: undelivered.map(({ id }) => id),
    proof: transactionProof(last.network, last.txHash, null),
  }
}

function findNobody({ raised, epochs, recordsOf }: IncidentInput): Condition | null {
  const flag = raised.find(
    (entry) => entry.flag === 'receiver_unverified' || entry.flag === 'receiver_never_paid',
  )
  const epoch = epochs.at(-1)
  const look = epoch?.looks.at(-1)
  const offer = look === undefined ? undefined : mainOffer(look)
  if (flag === undefined || epoch === undefined || offer === undefined) return null
  const record = recordsOf(offer.network, offer.payTo).at(-1)
  return {
    kind: 'unverified_receiver',
    severity: 'warn',
    subject: offer.payTo,
    summary:
      flag.flag === 'receiver_unverified'
        ? `The receiver ${offer.payTo} is an address that nobody holds.`
        : `The receiver ${offer.payTo} had no USDC receipts up to block ${record?.blockNumber ?? 0}, though the listing claims calls.`,
    observations: flag.evidence,
    proof: addressProof(offer.network, offer.payTo, record?.blockNumber ?? null),
  }
}
