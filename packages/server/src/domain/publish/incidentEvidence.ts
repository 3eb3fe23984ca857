import type { Incident } from '@touchstone402/shared'
import type { Observation, Purchase, Time } from '../facts/facts.ts'
import { toTimestamp } from '../facts/times.ts'
import { isPublished, observationUrl, publishedFrom } from './publishedLook.ts'
import type { Side } from './sides.ts'

/** An incident with the facts that it rests on. */
export type IncidentEvidence = {
  readonly incident: Incident
  /** Probes that it cites, oldest first. */
  readonly looks: readonly Observation[]
  /** Test purchases that it cites, oldest first. */
  readonly purchases: readonly Purchase[]
  readonly sides: readonly Side[]
}

/** Describes an incident with its evidence, as it is published. */
export function describeEvidence(
  { incident, looks, purchases, sides }: IncidentEvidence,
  publicUrl: string,
  now: Time,
) {
  const link = (look: Observation) => ({
    id: look.id,
    at: toTimestamp(look.at),
    client: look.client,
    ...(isPublished(look, now, incident.observations.includes(look.id))
      ? { url: observationUrl(publicUrl, look) }
      : { publishedFrom: toTimestamp(publishedFrom(look)) }),
  })
  return {
    ...incident,
    sides: sides.map(({ title, offers, listing, looks }) => ({
      title,
      offers: offers.map(({ unsafeFlow: _, unpayable: __, stockRefuses: ___, ...offer }) => offer),
      ...(listing && { listing: { directory: listing.directory, claims: { ...listing.claims } } }),
      looks: looks.map(link),
    })),
    looks: looks.map(link),
    purchases: purchases.map(describePurchase),
    history: listHistory(incident, looks),
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
    ...{ network, payTo, amountAtomic, txHash, settled, delivered, httpStatus, excerpt },
  }
}

/** Lists the events of an incident, oldest first. The last of the probes that it cites confirmed it. */
export function listHistory(
  { detectedAt, resolvedAt, status }: Incident,
  looks: readonly Observation[],
): { readonly event: 'seen' | 'confirmed' | 'opened' | 'resolved'; readonly at: string }[] {
  const [first, last] = [looks[0], looks.length > 1 ? looks.at(-1) : undefined]
  return [
    ...(first === undefined ? [] : [{ event: 'seen' as const, at: toTimestamp(first.at) }]),
    ...(last === undefined ? [] : [{ event: 'confirmed' as const, at: toTimestamp(last.at) }]),
    { event: 'opened', at: detectedAt },
    ...(status === 'resolved' && resolvedAt !== null ? [{ event: 'resolved' as const, at: resolvedAt }] : []),
  ]
}
