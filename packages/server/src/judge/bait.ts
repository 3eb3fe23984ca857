import {
  isDeclaredByHost,
  type Listing,
  type Observation,
  type ObservedOffer,
  type Time,
} from '../facts/facts.ts'
import { mainOffer } from './offers.ts'
import { claimedUsd, lowestUsd } from './prices.ts'
import { LIMITS } from './spec.ts'

/** A price that is asked above the seller's own claim. */
export type DearerThanClaim = {
  /** The first probe that asked it, and when. */
  readonly first: { readonly id: string; readonly at: Time; readonly paid: ObservedOffer | undefined }
  readonly last: Observation
  readonly listing: Listing
  readonly claimUsd: number
  readonly askedUsd: number
}

/** Limits of {@link findDearer}. */
type Limits = {
  /** Number of times the claim above which a price counts. */
  readonly times: number
  /** Time between the first and the last probe that asked so much. */
  readonly spanMs: number
  /** Number of such probes. */
  readonly probes: number
}

const probesOf = (isDynamic: boolean) => (isDynamic ? LIMITS.priceBaitDynamicProbes : 2)

/** Prices of more than three times the claim, in two probes a day apart; more are needed where the price changes per request. */
export const baitLimits = (isDynamic: boolean): Limits => ({
  times: LIMITS.priceBaitTimes,
  spanMs: LIMITS.priceBaitSpanMs,
  probes: probesOf(isDynamic),
})

/** Prices over 20 % above the claim. */
export const differsLimits = (isDynamic: boolean): Limits => ({
  times: 1 + LIMITS.priceDiffersPct / 100,
  spanMs: 0,
  probes: probesOf(isDynamic),
})

/**
 * Finds prices above the seller's own claim in at least half of the probes of two days since the claim was made, where the
 * document was read again after the first of them. They need not be one price, nor follow one another: a seller could
 * break any run with one honest answer. Of several tiers the lowest counts, since a buyer may choose it.
 * @returns null if there are none
 */
export function findDearer(
  probes: readonly Observation[],
  listings: readonly Listing[],
  { times, spanMs, probes: least }: Limits,
): DearerThanClaim | null {
  for (const listing of listings.filter(isDeclaredByHost)) {
    const claimUsd = claimedUsd(listing)
    if (claimUsd === null || listing.claimedAt === null) continue
    const since = Math.max(listing.at, (probes.at(-1)?.at ?? 0) - LIMITS.priceBaitWindowMs)
    const asked = probes.filter(({ at }) => at >= since)
    const dear = asked.filter((probe) => (lowestUsd(probe) ?? 0) > claimUsd * times)
    const [first, last] = [dear[0], dear.at(-1)]
    if (first === undefined || last === undefined) continue
    if (dear.length < least || 2 * dear.length < asked.length || last.at - first.at < spanMs) continue
    // Until the document is read again, it may have been changed with the price.
    if (listing.claimedAt < first.at) continue
    const { id, at } = first
    const askedUsd = lowestUsd(last) ?? 0
    return { first: { id, at, paid: mainOffer(first) }, last, listing, claimUsd, askedUsd }
  }
  return null
}
