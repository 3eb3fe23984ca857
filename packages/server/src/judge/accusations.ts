import { type Flag, type Incident, isSameSite } from '@touchstone402/shared'
import type { Announcement, Observation, RecordsOf, Time } from '../facts/facts.ts'
import { groupBy } from '../facts/groupBy.ts'
import type { Accusation } from '../facts/hostDocument.ts'
import { hasProof } from './announced.ts'
import type { Paid } from './epochs.ts'
import { normalAddress, signableOffers } from './offers.ts'
import type { Past } from './past.ts'

type AccusedFlag = Extract<Flag, 'receiver_flagged' | 'receiver_accused_elsewhere' | 'host_accused'>

/** An incident of another endpoint that counts against this one, and the receiver that it is about. */
export type RaisedAccusation = {
  readonly flag: AccusedFlag
  readonly accusation: Accusation
  /** The receiver of this endpoint. */
  readonly paid: Paid
}

/** Endpoint that incidents may count against, with its facts. */
type Accused = {
  readonly endpoint: string
  readonly host: string
  /** Probes that returned terms, oldest first, and the last two of them. */
  readonly probes: readonly Observation[]
  readonly latest: readonly Observation[]
  /** State from before the first probe that is read. */
  readonly past: Past
  readonly announcements: readonly Announcement[]
  readonly now: Time
}

/** Whether an incident is open, and critical. */
export const isOpenTheft = ({ status, severity }: Incident) => status === 'open' && severity === 'critical'

/** Maximum number of incidents that are stated of each flag. */
const MAX_RAISED = 3

/** Returns what an incident accuses; undefined if it is closed, no theft, or from before receivers were recorded. */
export function toAccusation(incident: Incident): Accusation | undefined {
  const { id, kind, host, endpoint, detectedAt, receiver } = incident
  if (!isOpenTheft(incident) || receiver === undefined) return undefined
  const { network, payTo } = receiver
  // Its evidence is purchases.
  const isPaid = kind === 'honeypot' || receiver.isPaid === true
  return {
    incident: id,
    kind,
    host,
    endpoint,
    detectedAt: Date.parse(detectedAt),
    network,
    payTo,
    namedAt: Date.parse(receiver.namedAt),
    ...(isPaid && { isPaid }),
  }
}

/**
 * Finds the open critical incidents that count against an endpoint beside its own. Anybody may name a rival's receiver, so
 * an incident counts at other hosts only where one of our purchases paid the receiver; there it is serious only if this
 * endpoint did not name it before, and either stands under the same registrable domain, or the receiver was not paid
 * before. On the accused host, every other path is Caution, since it may be a tenant's; one that names a receiver that our
 * purchase paid, later than the accused one, is the thief's.
 */
export function findAccusations(
  { endpoint, host, latest, probes, past, announcements, now }: Accused,
  recordsOf: RecordsOf,
  accusations: readonly Accusation[],
): readonly RaisedAccusation[] {
  if (accusations.length === 0) return []
  const named = groupBy(latest.flatMap(signableOffers), ({ payTo }) => normalAddress(payTo))
  const [[main] = []] = named.values()
  const { hostname } = new URL(endpoint)
  const raised = accusations.flatMap((accusation): RaisedAccusation[] => {
    const { payTo, namedAt } = accusation
    if (accusation.endpoint === endpoint || main === undefined) return []
    const offers = named.get(normalAddress(payTo)) ?? []
    const [paid] = offers
    const isLater = paid !== undefined && firstNamedAt(payTo, probes, past) >= namedAt
    if (accusation.host === host)
      return [
        {
          flag: isLater && accusation.isPaid === true ? 'receiver_flagged' : 'host_accused',
          accusation,
          paid: paid ?? main,
        },
      ]
    if (paid === undefined || accusation.isPaid !== true) return []
    const isSite = isSameSite(new URL(accusation.endpoint).hostname, hostname)
    const isUnpaid = offers.some((offer) => isUnpaidBefore(recordsOf, offer, namedAt))
    if (isLater && (isSite || isUnpaid)) return [{ flag: 'receiver_flagged', accusation, paid }]
    return !isLater && hasProof(announcements, paid, now)
      ? []
      : [{ flag: 'receiver_accused_elsewhere', accusation, paid }]
  })
  // A host of many paths may be accused at each; the oldest are enough.
  return [...groupBy(raised, ({ flag }) => flag).values()].flatMap((own) => own.slice(0, MAX_RAISED))
}

/** Returns when an endpoint first named a receiver, as far as its probes and periods tell. */
function firstNamedAt(payTo: string, probes: readonly Observation[], { state }: Past): Time {
  const isNamed = (other: { readonly payTo: string }) => normalAddress(other.payTo) === normalAddress(payTo)
  const period = state?.payToHistory.find(isNamed)
  const probe = probes.find((one) => signableOffers(one).some(isNamed))
  return Math.min(
    period ? Date.parse(period.from) : Number.POSITIVE_INFINITY,
    probe?.at ?? Number.POSITIVE_INFINITY,
  )
}

/** Whether the whole history of a receiver shows no receipt before a time. */
function isUnpaidBefore(recordsOf: RecordsOf, { network, payTo }: Paid, time: Time): boolean {
  const record = recordsOf(network, payTo).at(-1)
  if (record?.isWholeLife !== true) return false
  return record.firstReceiptAt === null || record.firstReceiptAt >= time
}
