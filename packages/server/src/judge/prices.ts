import { atomicToUsd, type PricePeriod } from '@touchstone402/shared'
import type { Listing, Observation, ObservedOffer, Time } from '../facts/facts.ts'
import type { CategoryPrice } from '../facts/hostDocument.ts'
import { toTimestamp } from '../facts/times.ts'
import { isFree, listTiers, mainOffer, offerKey, remember, takenOffers, vouchedOffers } from './offers.ts'
import { LIMITS } from './spec.ts'

/** Splits successful probes by the price of the main offer. */
export function splitPrices(probes: readonly Observation[]): PricePeriod[] {
  const periods: PricePeriod[] = []
  let shown: ObservedOffer | undefined
  for (const probe of probes) {
    const offer = mainOffer(probe)
    if (offer === undefined || offer === shown) continue
    const { amountAtomic } = offer
    const isSame = shown?.amountAtomic === amountAtomic && offerKey(shown) === offerKey(offer)
    shown = offer
    if (isSame) continue
    const from = toTimestamp(probe.at)
    const last = periods.at(-1)
    if (last !== undefined) last.to = from
    periods.push({ priceUsd: askedUsd(probe), amountAtomic, from, to: null })
  }
  return periods
}

/** A confirmed price increase. */
export type PriceJump = {
  readonly at: Time
  readonly confirmedAt: Time
  readonly beforeUsd: number
  readonly afterUsd: number
}

/**
 * Finds price increases of over 20 % and one cent against the median of the previous five probes, seen twice in a row.
 * The higher price is then the base for later ones.
 */
export function findPriceJumps(probes: readonly Observation[]): PriceJump[] {
  const jumps: PriceJump[] = []
  let window: number[] = []
  let raised: { at: Time; usd: number } | null = null
  for (const probe of probes) {
    const usd = askedUsd(probe)
    if (usd === null) continue
    const base = window.length === 0 ? usd : median(window)
    const isRise = usd > base * (1 + LIMITS.priceJumpPct / 100) && usd - base > LIMITS.priceJumpUsd
    if (!isRise) {
      raised = null
      window = [...window, usd].slice(-LIMITS.priceJumpWindow)
    } else if (raised === null) raised = { at: probe.at, usd }
    else {
      jumps.push({ at: raised.at, confirmedAt: probe.at, beforeUsd: base, afterUsd: raised.usd })
      window = [raised.usd, usd]
      raised = null
    }
  }
  return jumps
}

/** Returns the median; NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Returns the price in dollars that a listing claims; null if it is free or not known. */
export function claimedUsd({ claims }: Listing): number | null {
  if (claims.priceUsd !== null) return claims.priceUsd === 0 ? null : claims.priceUsd
  const { network, asset, amountAtomic } = claims
  if (network === null || asset === null || amountAtomic === null) return null
  return toUsd({ network, asset, amountAtomic })
}

/** Returns the price of a probe in dollars; null if it is free or the asset's decimals are unknown. */
export const askedUsd = remember((probe) => toUsd(mainOffer(probe)))

/** Returns the lowest tier of a probe in dollars, or null as {@link askedUsd} does. */
export const lowestUsd = remember((probe) => toUsd(listTiers(probe).at(-1)))

/**
 * Returns the dearest offer that a verdict vouches for, of any network and asset; undefined if none has a price in
 * dollars. The maximum of `upto` is no price.
 */
export const dearestOffer = remember((probe) => {
  const priced = vouchedOffers(probe).flatMap((offer) => {
    const usd = offer.scheme === 'upto' ? null : toUsd(offer)
    return usd === null ? [] : [{ offer, usd }]
  })
  return priced.reduce<(typeof priced)[number] | undefined>(
    (dearest, one) => (dearest !== undefined && dearest.usd >= one.usd ? dearest : one),
    undefined,
  )
})

/** Returns the highest price in dollars that an agent could sign, `upto` at its maximum; null if none has a price. */
export const dearestSignable = remember((probe) => {
  const prices = takenOffers(probe).flatMap((offer) => toUsd(offer) ?? [])
  return prices.length === 0 ? null : Math.max(...prices)
})

/** Returns the price of an offer in dollars; null if it is free or its asset has no price. */
export function toUsd(
  offer: Pick<ObservedOffer, 'network' | 'asset' | 'amountAtomic'> | undefined,
): number | null {
  if (offer === undefined || isFree(offer)) return null
  return atomicToUsd(offer.network, offer.asset, BigInt(offer.amountAtomic))
}

/** Whether any listing claims another price than is asked. */
export function hasDrift(askedUsd: number | null, listings: readonly Listing[]): boolean {
  return listings.some((listing) => {
    const claim = claimedUsd(listing)
    if (claim === null || askedUsd === null) return false
    return Math.abs(askedUsd - claim) > (claim * LIMITS.priceDriftPct) / 100
  })
}

/** Names that directories give to endpoints without a category. */
const NO_CATEGORY = /^(un|not )categori[sz]ed$|^(others?|misc|miscellaneous|general|none|unknown|n\/a)?$/i

/** Whether a listing's category describes the endpoint. */
export function isCategory(category: string | null): boolean {
  return category !== null && !NO_CATEGORY.test(category.trim())
}

/**
 * Whether a price is far above the median of its category. Endpoints of all kinds differ more in price than those of
 * one category, so without a category a price must also be above a dollar, as it must if too few are comparable.
 */
export function isHigh(priceUsd: number, comparable: CategoryPrice | undefined): boolean {
  return priceUsd > highestUsualUsd(comparable)
}

/** Returns the price in dollars above which {@link isHigh} holds. */
export function highestUsualUsd(comparable: CategoryPrice | undefined): number {
  if (comparable === undefined || comparable.count < LIMITS.priceHighComparable)
    return LIMITS.priceHighAloneUsd
  const least = comparable.isWhole === true ? LIMITS.priceHighAloneUsd : LIMITS.priceHighUsd
  return Math.max(least, LIMITS.priceHighTimesMedian * comparable.medianUsd)
}
