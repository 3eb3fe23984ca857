import { atomicToUsd } from '@touchstone402/shared'
import type { Listing, Observation, ObservedOffer, Time } from '../../facts/facts.ts'
import type { CategoryPrice } from '../../facts/hostDocument.ts'
import { isFree, judgedOffers, listTiers, mainOffer, offerKey } from '../offers.ts'
import { LIMITS } from '../spec.ts'

/** A period at one price. */
export type PriceEpoch = {
  /** Network, asset and scheme of the newest period; null for earlier ones. */
  readonly key: string | null
  readonly amountAtomic: string
  /** Null if the offer is free or the asset's decimals are unknown. */
  readonly priceUsd: number | null
  readonly from: Time
}

/** Maximum number of price periods that are kept, as many as a state shows. */
export const MAX_PRICES = 50

/**
 * Adds a probe that returned terms to the periods of the main offer's price.
 * @param most number of periods that are kept, the newest. @default 50
 */
export function addPrice(
  prices: readonly PriceEpoch[],
  probe: Observation,
  most = MAX_PRICES,
): readonly PriceEpoch[] {
  const offer = mainOffer(probe)
  if (offer === undefined) return prices
  const key = offerKey(offer)
  const { amountAtomic } = offer
  const last = prices.at(-1)
  if (last !== undefined && last.key === key && last.amountAtomic === amountAtomic) return prices
  const added = { key, amountAtomic, priceUsd: toUsd(offer), from: probe.at }
  const kept = prices.length < most ? prices : prices.slice(1 - most)
  return last === undefined ? [added] : [...kept.slice(0, -1), { ...last, key: null }, added]
}

/** A confirmed price increase. */
export type PriceJump = { readonly at: Time; readonly beforeUsd: number; readonly afterUsd: number }

/** Memory for finding price increases. */
export type PriceJumps = {
  /** The last prices, at most five. */
  readonly window: readonly number[]
  /** An increase that was seen once. */
  readonly raised: { readonly at: Time; readonly usd: number } | null
  /** The newest increases, oldest first. */
  readonly jumps: readonly PriceJump[]
}

/** Maximum number of increases that are kept. Six within 30 days cost all points that increases can cost. */
const MAX_JUMPS = 24

export const NO_JUMPS: PriceJumps = { window: [], raised: null, jumps: [] }

/**
 * Adds a probe that returned terms. An increase is over 20 % and one cent against the median of the previous five
 * probes, seen twice in a row. The higher price is then the base for later ones.
 */
export function addJump({ window, raised, jumps }: PriceJumps, probe: Observation): PriceJumps {
  const usd = askedUsd(probe)
  if (usd === null) return { window, raised, jumps }
  const base = window.length === 0 ? usd : median(window)
  const isRise = usd > base * (1 + LIMITS.priceJumpPct / 100) && usd - base > LIMITS.priceJumpUsd
  if (!isRise) return { window: [...window, usd].slice(-LIMITS.priceJumpWindow), raised: null, jumps }
  if (raised === null) return { window, raised: { at: probe.at, usd }, jumps }
  const jump = { at: raised.at, beforeUsd: base, afterUsd: raised.usd }
  return { window: [raised.usd, usd], raised: null, jumps: [...jumps, jump].slice(-MAX_JUMPS) }
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
export function askedUsd(probe: Observation): number | null {
  const offer = mainOffer(probe)
  return offer === undefined ? null : toUsd(offer)
}

/** Returns the lowest tier of a probe in dollars, or null as {@link askedUsd} does. */
export function lowestUsd(probe: Observation): number | null {
  const offer = listTiers(probe).at(-1)
  return offer === undefined ? null : toUsd(offer)
}

/** Returns the highest price of the offers that a probe is judged by, on any network, in dollars; 0 if none is known. */
export function highestUsd(probe: Observation): number {
  return Math.max(0, ...judgedOffers(probe).map((offer) => toUsd(offer) ?? 0))
}

function toUsd(offer: Pick<ObservedOffer, 'network' | 'asset' | 'amountAtomic'>): number | null {
  return isFree(offer) ? null : atomicToUsd(offer.network, offer.asset, BigInt(offer.amountAtomic))
}

/** Whether any listing claims a price that differs from the challenge. */
export function hasDrift(price: PriceEpoch, listings: readonly Listing[]): boolean {
  const asked = price.priceUsd
  if (asked === null) return false
  return listings.some((listing) => {
    const claim = claimedUsd(listing)
    return claim !== null && Math.abs(asked - claim) > (claim * LIMITS.priceDriftPct) / 100
  })
}

/** Names that directories give to endpoints without a category. */
const NO_CATEGORY = /^(un|not )categori[sz]ed$|^(others?|misc|miscellaneous|general|none|unknown|n\/a)?$/i

/** Whether a listing's category says what the endpoint does. */
export function isCategory(category: string | null): boolean {
  return category !== null && !NO_CATEGORY.test(category.trim())
}

/**
 * Whether a price is far above the median of its category. Endpoints of all kinds differ more in price than those of
 * one category, so without a category a price must also be above a dollar, as it must if too few are comparable.
 */
export function isHigh(priceUsd: number, comparable: CategoryPrice | undefined): boolean {
  const isComparable = comparable !== undefined && comparable.count >= LIMITS.priceHighComparable
  const isAlone = !isComparable || comparable.isWhole === true
  if (priceUsd <= (isAlone ? LIMITS.priceHighAloneUsd : LIMITS.priceHighUsd)) return false
  return !isComparable || priceUsd > LIMITS.priceHighTimesMedian * comparable.medianUsd
}
