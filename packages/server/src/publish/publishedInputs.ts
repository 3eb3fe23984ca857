import type { Incident } from '@touchstone402/shared'
import { canonicalJson } from '@touchstone402/shared/leaves'
import type { Announcement, Listing, Purchase, ReceiverRecord, Time } from '../facts/facts.ts'
import { DAY } from '../facts/times.ts'
import { wellFormedJson } from './wellFormed.ts'

/** A listing without the sample that it declares. */
export type ListedInput = Omit<Listing, 'url' | 'body' | 'title' | 'host'>

/** Time after which a test purchase is published, since it shows a seller which payments are tests. */
export const PURCHASE_WITHHELD_MS = 30 * DAY

/**
 * Returns the time from which a test purchase is published: 30 days later, or as soon as verdicts show it where it was
 * paid and not delivered. Purchases from before they were withheld, which have no status, were published at once.
 */
export function publishedFrom({ at, settled, delivered, httpStatus, shownFrom }: Purchase): Time {
  if (httpStatus === undefined) return at
  const isFault = settled && !delivered
  return isFault && shownFrom !== undefined ? shownFrom : at + PURCHASE_WITHHELD_MS
}

/**
 * Whether a test purchase is published with a day: from its time on, or as evidence of an incident that was found until
 * then.
 * @param to end of the day
 */
export function isPurchasePublished(
  purchase: Purchase,
  incidents: readonly Pick<Incident, 'observations' | 'detectedAt'>[],
  to: Time,
): boolean {
  const { id, at } = purchase
  const isCited = incidents.some(
    ({ observations, detectedAt }) => observations.includes(id) && Date.parse(detectedAt) <= to,
  )
  return at <= to && (isCited || publishedFrom(purchase) <= to)
}

/**
 * Writes a fact that judgements read beside the probes in the form in which it is published. What a listing declares as
 * its sample is left out, since no judgement reads it and it shows a seller which requests are probes.
 */
export function writeInput(fact: Announcement | Listing | Purchase | ReceiverRecord): string {
  return canonicalJson(wellFormedJson({ ...(fact.kind === 'listing' ? withoutSample(fact) : fact) }))
}

function withoutSample({ url: _, body: __, title: ___, host: ____, ...listing }: Listing): ListedInput {
  return listing
}
