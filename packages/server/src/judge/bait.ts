import type { PricePeriod } from '@touchstone402/shared'
import { isDeclaredByHost, type Listing, type Observation } from '../facts/facts.ts'
import { mainOffer } from './offers.ts'
import { claimedUsd, lowestUsd } from './prices.ts'
import { LIMITS } from './spec.ts'

const FACTOR = 1 + LIMITS.priceBaitPct / 100

/**
 * Finds a price over 20 % above the seller's own claim that was asked for 24 h, where the claim was refreshed after the
 * price was first seen. Of several tiers the lowest counts, since a buyer may choose it. Prices within 20 % of the
 * current one count as equal, so small steps are one price.
 * @param isDynamic whether the price changes per request; more probes are needed then
 * @param earlier the prices before the first of the probes. @default none
 * @returns the claim, and the first and the last probe above it; null if there is none
 */
export function findBait(
  probes: readonly Observation[],
  listings: readonly Listing[],
  isDynamic: boolean,
  earlier: readonly PricePeriod[] = [],
) {
  const last = probes.at(-1)
  const askedUsd = last === undefined ? null : lowestUsd(last)
  if (last === undefined || askedUsd === null) return null
  for (const listing of listings.filter(isDeclaredByHost)) {
    const claimUsd = claimedUsd(listing)
    if (claimUsd === null || listing.claimedAt === null) continue
    const isAsked = (usd: number | null) =>
      usd !== null && usd > claimUsd * FACTOR && Math.max(usd, askedUsd) <= Math.min(usd, askedUsd) * FACTOR
    const run = probes.slice(probes.findLastIndex((probe) => !isAsked(lowestUsd(probe))) + 1)
    const first = run[0]
    if (first === undefined) continue
    const before = earlier[earlier.findLastIndex(({ priceUsd }) => !isAsked(priceUsd)) + 1]
    const from = first === probes[0] && before !== undefined ? Date.parse(before.from) : first.at
    if (last.at - from < LIMITS.priceBaitSpanMs || listing.claimedAt < from) continue
    if (isDynamic && run.length < LIMITS.priceBaitDynamicProbes) continue
    return { first: { id: first.id, at: from, paid: mainOffer(first) }, last, listing, claimUsd, askedUsd }
  }
  return null
}
