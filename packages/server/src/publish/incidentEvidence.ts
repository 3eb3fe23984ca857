import type { Incident } from '@touchstone402/shared'
import type { Observation, Purchase, Time } from '../facts/facts.ts'
import { toTimestamp } from '../facts/times.ts'
import {
  describeAsked,
  isPublished,
  numberIdentities,
  observationUrl,
  roundedFrom,
  shownTime,
} from './publishedObservation.ts'
import type { Side } from './sides.ts'

/** An incident with the facts that it rests on. */
export type IncidentEvidence = {
  readonly incident: Incident
  /** Probes that it cites, oldest first. */
  readonly observations: readonly Observation[]
  /** Test purchases that it cites, oldest first. */
  readonly purchases: readonly Purchase[]
  readonly sides: readonly Side[]
  /** When the seller disputed it, oldest first. */
  readonly disputedAt: readonly Time[]
}

/** Describes an incident with its evidence, as it is published. */
export function describeEvidence(evidence: IncidentEvidence, publicUrl: string, now: Time) {
  const { incident, observations, purchases, sides } = evidence
  const identityOf = numberIdentities(observations)
  const link = (observation: Observation) => ({
    id: observation.id,
    ...describeAsked(observation, now),
    ...(identityOf(observation.client) > 0 && { identity: identityOf(observation.client) }),
    ...(isPublished(observation, now, incident.observations.includes(observation.id))
      ? { url: observationUrl(publicUrl, observation) }
      : { publishedFrom: roundedFrom(observation) }),
  })
  return {
    ...incident,
    sides: sides.map(({ title, offers, listing, observations }) => ({
      title,
      offers: offers.map(({ unsafeFlow: _, unpayable: __, stockRefuses: ___, ...offer }) => offer),
      ...(listing && { listing: { directory: listing.directory, claims: { ...listing.claims } } }),
      probes: observations.map(link),
    })),
    probes: observations.map(link),
    purchases: purchases.map(describePurchase),
    history: listHistory(evidence, now),
  }
}

function describePurchase(purchase: Purchase) {
  const { id, at, askedAt = at, answeredAt = null, httpStatus = null, excerpt = null } = purchase
  const { network, payTo, amountAtomic, txHash, settled, delivered } = purchase
  return {
    id,
    at: toTimestamp(at),
    askedAt: toTimestamp(askedAt),
    answeredAt: answeredAt === null ? null : toTimestamp(answeredAt),
    network,
    payTo,
    amountAtomic,
    txHash,
    settled,
    delivered,
    httpStatus,
    excerpt,
  }
}

/** Lists the events of an incident, oldest first. The last of the probes that it cites confirmed it. */
export function listHistory({ incident, observations, disputedAt }: IncidentEvidence, now: Time) {
  const { detectedAt, resolvedAt, status } = incident
  const seenAt = observations.slice(0, 1).map((observation) => shownTime(observation, now))
  const confirmedAt = observations
    .slice(1)
    .slice(-1)
    .map((observation) => shownTime(observation, now))
  const endedAt = status === 'resolved' && resolvedAt !== null ? [Date.parse(resolvedAt)] : []
  const named = (event: string, times: readonly Time[]) => times.map((at) => ({ event, at: toTimestamp(at) }))
  return [
    ...named('seen', seenAt),
    ...named('confirmed', confirmedAt),
    ...named('opened', [Date.parse(detectedAt)]),
    ...named('disputed', disputedAt),
    ...named('resolved', endedAt),
  ]
}
