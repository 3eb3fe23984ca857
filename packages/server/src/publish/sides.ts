import type { Listing, Observation, ObservedOffer, Time } from '../facts/facts.ts'
import { hasTerms, isDeclaredByHost } from '../facts/facts.ts'
import { DAY } from '../facts/times.ts'

/** Reads probes of an endpoint within a time, oldest first. */
type ReadObservations = (
  endpoint: string,
  range: { readonly from: Time; readonly to: Time },
) => Promise<readonly Observation[]>

/** One side of a comparison: terms, and who was shown them when. */
export type Side = {
  readonly title: string
  /** Terms; empty if the answers held none. */
  readonly offers: readonly ObservedOffer[]
  /** Oldest first; none for a listing. */
  readonly observations: readonly Observation[]
  /** Ids of the client identities that were shown it. */
  readonly clients: readonly string[]
  /** A directory's listing in place of probes. */
  readonly listing?: Listing
}

/** Title of a side that differs by its clients. */
export const SHOWN_TO = 'Shown'

/** Time before the first probe of a finding in which the terms before are searched. */
const BEFORE_MS = 14 * DAY
/** Number of sides that are shown. */
const MAX_SIDES = 4

/**
 * Compares the terms of the probes that a finding cites: with the listing that it cites, or with each other where they
 * differ, otherwise with the terms before them, if they were others.
 * @param probes cited probes, oldest first
 */
export async function readSides(
  read: ReadObservations,
  observations: readonly Observation[],
  listing?: Listing,
): Promise<readonly Side[]> {
  const answered = observations.filter(hasTerms).toSorted((a, b) => a.at - b.at)
  const [first] = answered
  if (first === undefined) return []
  if (listing !== undefined) return [listedSide(listing), toSide('Now', answered)]
  const groups = groupByTerms(answered)
  if (groups.length > 1) return groups.slice(0, MAX_SIDES).map((group) => toSide(SHOWN_TO, group))
  const now = toSide('Now', answered)
  const before = await readBefore(read, first)
  return before === undefined ? [now] : [toSide('Before', [before]), now]
}

/** The side of a listing. */
export const listedSide = (listing: Listing): Side => {
  return { title: `Listed on ${listing.directory}`, offers: [], observations: [], clients: [], listing }
}

/** Returns the listing that a finding cites, or the newest of the host's own, as the cited one may have been read again since. */
export function citedListing(listings: readonly Listing[], ids: readonly string[]): Listing | undefined {
  return listings.findLast(({ id }) => ids.includes(id)) ?? listings.findLast(isDeclaredByHost)
}

/** Returns the last probe with other terms before one; undefined without any. */
async function readBefore(read: ReadObservations, first: Observation): Promise<Observation | undefined> {
  const range = { from: Math.max(0, first.at - BEFORE_MS), to: first.at - 1 }
  const terms = termsText(first)
  const observations = await read(first.endpoint, range)
  return observations.findLast((observation) => hasTerms(observation) && termsText(observation) !== terms)
}

function groupByTerms(observations: readonly Observation[]): Observation[][] {
  const groups = new Map<string, Observation[]>()
  for (const observation of observations) {
    const text = termsText(observation)
    groups.set(text, [...(groups.get(text) ?? []), observation])
  }
  return [...groups.values()]
}

function toSide(title: string, observations: readonly Observation[]): Side {
  const clients = [...new Set(observations.map(({ client }) => client))].sort()
  return {
    title,
    offers: distinctOffers(observations.flatMap((observation) => observation.offers)),
    observations,
    clients,
  }
}

/** Offers as a reader distinguishes them: v1 and v2 of equal terms are one. */
function distinctOffers(offers: readonly ObservedOffer[]): ObservedOffer[] {
  return [...new Map(offers.map((offer) => [offerText(offer), offer])).values()]
}

const offerText = ({ network, asset, scheme, payTo, amountAtomic }: ObservedOffer) =>
  JSON.stringify([network, asset, scheme, payTo, amountAtomic]).toLowerCase()

const termsText = ({ offers }: Observation) => distinctOffers(offers).map(offerText).sort().join('\n')

/** First and last time of a side's probes; undefined for a listing. */
export function spanOf({ observations }: Side): { readonly from: Time; readonly to: Time } | undefined {
  const times = observations.map(({ at }) => at)
  return times.length === 0 ? undefined : { from: Math.min(...times), to: Math.max(...times) }
}
