import { atomicToUsd } from '@touchstone402/shared'
import type { Listing, Observation, ObservedOffer, Time } from '../facts/facts.ts'
import type { CategoryPrice } from '../facts/hostDocument.ts'
import { isFree, judgedOffers, listTiers, mainOffer, offerKey } from './offers.ts'
import { LIMITS } from './spec.ts'

/** A period at one price. */
export type PriceEpoch = {
  readonly key: string
  readonly amountAtomic: string
  /** Null if the offer is free or the asset's decimals are unknown. */
  readonly priceUsd: number | null
  readonly from: Time
  readonly probes: readonly Observation[]
}

/** A confirmed price increase. */
type PriceJump = { readonly at: Time; readonly beforeUsd: number; readonly afterUsd: number }

/** Splits successful probes by the price of the main offer. */
export function splitPrices(probes: readonly Observation[]): PriceEpoch[] {
  const epochs: (PriceEpoch & { probes: Observation[] })[] = []
  for (const probe of probes) {
    const offer = mainOffer(probe)
    if (offer === undefined) continue
    const last = epochs.at(-1)
    if (last !== undefined && last.key === offerKey(offer) && last.amountAtomic === offer.amountAtomic) {
      last.probes.push(probe)
      continue
    }
    epochs.push({
      key: offerKey(offer),
      amountAtomic: offer.amountAtomic,
      priceUsd: toUsd(offer),
      from: probe.at,
      probes: [probe],
    })
  }
  return epochs
}

/**
 * Finds price increases of over 20 % and one cent against the median of the previous five probes, seen twice in a row.
 * The new price is then the base for later ones.
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
      jumps.push({ at: raised.at, beforeUsd: base, afterUsd: raised.usd })
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

/** A price above the seller's own claim, with the probes that asked it, oldest first. */
export type Bait = {
  readonly probes: readonly Observation[]
  readonly listing: Listing
  readonly claimUsd: number
  readonly askedUsd: number
}

/**
 * Finds a price over 20 % above the seller's own claim that was asked for 24 h, where the claim was refreshed after
 * the price was first seen. Of several tiers the lowest counts, since a buyer may choose it. Prices within 20 % of the current one count as equal, so small steps are one price.
 * @param isDynamic whether the price changes per request; more probes are needed then
 */
export function findBait(
  probes: readonly Observation[],
  listings: readonly Listing[],
  isDynamic: boolean,
): Bait | null {
  for (const listing of listings) {
    const claimUsd = claimedUsd(listing)
    if (!listing.ownClaim || claimUsd === null || listing.claimedAt === null) continue
    const run = trailingRun(probes, claimUsd * (1 + LIMITS.priceBaitPct / 100))
    const first = run[0]
    const last = run.at(-1)
    if (first === undefined || last === undefined) continue
    if (last.at - first.at < LIMITS.priceBaitSpanMs || listing.claimedAt < first.at) continue
    if (isDynamic && run.length < LIMITS.priceBaitDynamicLooks) continue
    return { probes: run, listing, claimUsd, askedUsd: lowestUsd(last) ?? Number.NaN }
  }
  return null
}

/** Returns the trailing probes that asked about the same price, above a floor. */
function trailingRun(probes: readonly Observation[], floorUsd: number): readonly Observation[] {
  const present = probes.at(-1)
  const presentUsd = present === undefined ? null : lowestUsd(present)
  if (presentUsd === null) return []
  const start = probes.findLastIndex((probe) => {
    const usd = lowestUsd(probe)
    return usd === null || usd <= floorUsd || !isAbout(usd, presentUsd)
  })
  return probes.slice(start + 1)
}

const isAbout = (a: number, b: number) => Math.max(a, b) <= Math.min(a, b) * (1 + LIMITS.priceBaitPct / 100)

/** Returns the price of a probe in dollars; null if it is free or the asset's decimals are unknown. */
export function askedUsd(probe: Observation): number | null {
  const offer = mainOffer(probe)
  return offer === undefined ? null : toUsd(offer)
}

/** Returns the lowest tier of a probe in dollars, or null as {@link askedUsd} does. */
function lowestUsd(probe: Observation): number | null {
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
