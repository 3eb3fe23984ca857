import type { PricePeriod } from '@touchstone402/shared'
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

/** Prices within 20 % of one another count as equal, so that small steps are one price. */
const EQUAL = 1 + LIMITS.priceJumpPct / 100

/** A price that is asked above the seller's own claim. */
export type DearerThanClaim = {
  /** The first probe that asked it, and when it was asked first. */
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
  /** Time for which it is asked. */
  readonly spanMs: number
  /** Number of probes in a row that ask it. */
  readonly probes: number
}

/** Prices of more than three times the claim, in two probes a day apart; more are needed where the price changes per request. */
export const baitLimits = (isDynamic: boolean): Limits => {
  const probes = isDynamic ? LIMITS.priceBaitDynamicProbes : 2
  return { times: LIMITS.priceBaitTimes, spanMs: LIMITS.priceBaitSpanMs, probes }
}

/** Prices over 20 % above the claim, in two probes. */
export const differsLimits = (isDynamic: boolean): Limits => {
  const probes = isDynamic ? LIMITS.priceBaitDynamicProbes : 2
  return { times: 1 + LIMITS.priceDiffersPct / 100, spanMs: 0, probes }
}

/**
 * Finds a price above the seller's own claim, where the claim was refreshed after the price was first seen. Of several
 * tiers the lowest counts, since a buyer may choose it.
 * @param earlier the prices before the first of the probes. @default none
 * @returns null if there is none
 */
export function findDearer(
  probes: readonly Observation[],
  listings: readonly Listing[],
  { times, spanMs, probes: least }: Limits,
  earlier: readonly PricePeriod[] = [],
): DearerThanClaim | null {
  const last = probes.at(-1)
  const askedUsd = last === undefined ? null : lowestUsd(last)
  if (last === undefined || askedUsd === null) return null
  for (const listing of listings.filter(isDeclaredByHost)) {
    const claimUsd = claimedUsd(listing)
    if (claimUsd === null || listing.claimedAt === null) continue
    const isAsked = (usd: number | null) =>
      usd !== null && usd > claimUsd * times && Math.max(usd, askedUsd) <= Math.min(usd, askedUsd) * EQUAL
    const run = probes.slice(probes.findLastIndex((probe) => !isAsked(lowestUsd(probe))) + 1)
    const first = run[0]
    if (first === undefined || run.length < least) continue
    const before = earlier[earlier.findLastIndex(({ priceUsd }) => !isAsked(priceUsd)) + 1]
    const from = first === probes[0] && before !== undefined ? Date.parse(before.from) : first.at
    if (last.at - from < spanMs || listing.claimedAt < from) continue
    return { first: { id: first.id, at: from, paid: mainOffer(first) }, last, listing, claimUsd, askedUsd }
  }
  return null
}
