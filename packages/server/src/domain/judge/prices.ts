import { atomicToUsd } from '@touchstone402/shared'
import type { Listing, Observation, Time } from '../facts/facts.ts'
import type { CategoryPrice } from '../facts/hostDocument.ts'
import { knownDecimals, mainOffer, offerKey } from './offers.ts'
import { LIMITS } from './spec.ts'

/** A stretch of time at one price. */
export type PriceEpoch = {
  readonly key: string
  readonly amountAtomic: string
  /** Null where the asset's decimals are not known. */
  readonly priceUsd: number | null
  readonly from: Time
  readonly looks: readonly Observation[]
}

/** A rise against the median of the last five looks. */
export type PriceJump = {
  readonly at: Time
  readonly beforeUsd: number
  readonly afterUsd: number
  readonly looks: readonly string[]
}

/** Splits successful looks by the price of the main offer. */
export function splitPrices(looks: readonly Observation[]): PriceEpoch[] {
  const epochs: (PriceEpoch & { looks: Observation[] })[] = []
  for (const look of looks) {
    const offer = mainOffer(look)
    if (offer === undefined) continue
    const last = epochs.at(-1)
    if (last !== undefined && last.key === offerKey(offer) && last.amountAtomic === offer.amountAtomic) {
      last.looks.push(look)
      continue
    }
    const priceUsd = knownDecimals(offer) === null ? null : atomicToUsd(BigInt(offer.amountAtomic))
    epochs.push({
      key: offerKey(offer),
      amountAtomic: offer.amountAtomic,
      priceUsd,
      from: look.at,
      looks: [look],
    })
  }
  return epochs
}

/**
 * Rises of over 20 % and over one cent against the median of the five looks before, seen by two looks in a row.
 * After a rise the new price is what later ones are held against.
 */
export function findPriceJumps(looks: readonly Observation[]): PriceJump[] {
  const jumps: PriceJump[] = []
  let window: number[] = []
  let raised: { look: Observation; usd: number } | null = null
  for (const look of looks) {
    const usd = askedUsd(look)
    if (usd === null) continue
    const base = window.length === 0 ? usd : median(window)
    const isRise = usd > base * (1 + LIMITS.priceJumpPct / 100) && usd - base > LIMITS.priceJumpUsd
    if (!isRise) {
      raised = null
      window = [...window, usd].slice(-LIMITS.priceJumpWindow)
    } else if (raised === null) raised = { look, usd }
    else {
      jumps.push({
        at: raised.look.at,
        beforeUsd: base,
        afterUsd: raised.usd,
        looks: [raised.look.id, look.id],
      })
      window = [raised.usd, usd]
      raised = null
    }
  }
  return jumps
}

/** The middle value; the mean of the two middle ones of an even count. NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** The dollars that a listing claims, from its atomic amount or its price. */
export function claimedUsd({ claims }: Listing): number | null {
  if (claims.priceUsd !== null) return claims.priceUsd
  const { network, asset, amountAtomic } = claims
  if (network === null || asset === null || amountAtomic === null) return null
  return knownDecimals({ network, asset }) === null ? null : atomicToUsd(BigInt(amountAtomic))
}

/** A price above the seller's own claim, with the looks that asked it, oldest first. */
export type Bait = {
  readonly looks: readonly Observation[]
  readonly listing: Listing
  readonly claimUsd: number
  readonly askedUsd: number
}

/**
 * The price that is over 20 % above the seller's own claim, where that claim was refreshed after the price was first
 * seen and the price was asked over 24 h; or null. Prices within 20 % of the present one count as the present one:
 * a seller who adds a little at each request asks no new price.
 * @param isDynamic whether the price changes from request to request, so that few looks in a row say little
 */
export function findBait(
  looks: readonly Observation[],
  listings: readonly Listing[],
  isDynamic: boolean,
): Bait | null {
  for (const listing of listings) {
    const claimUsd = claimedUsd(listing)
    if (!listing.ownClaim || claimUsd === null || listing.claimedAt === null) continue
    const run = trailingRun(looks, claimUsd * (1 + LIMITS.priceBaitPct / 100))
    const first = run[0]
    const last = run.at(-1)
    if (first === undefined || last === undefined) continue
    if (last.at - first.at < LIMITS.priceBaitSpanMs || listing.claimedAt < first.at) continue
    if (isDynamic && run.length < LIMITS.priceBaitDynamicLooks) continue
    return { looks: run, listing, claimUsd, askedUsd: askedUsd(last) ?? Number.NaN }
  }
  return null
}

/** The looks at the end that all asked above a floor, and about the same. */
function trailingRun(looks: readonly Observation[], floorUsd: number): readonly Observation[] {
  const present = looks.at(-1)
  const presentUsd = present === undefined ? null : askedUsd(present)
  if (presentUsd === null) return []
  const start = looks.findLastIndex((look) => {
    const usd = askedUsd(look)
    return usd === null || usd <= floorUsd || !isAbout(usd, presentUsd)
  })
  return looks.slice(start + 1)
}

const isAbout = (a: number, b: number) => Math.max(a, b) <= Math.min(a, b) * (1 + LIMITS.priceBaitPct / 100)

/** The dollars that a look was asked, or null where the asset's decimals are not known. */
export function askedUsd(look: Observation): number | null {
  const offer = mainOffer(look)
  return offer === undefined || knownDecimals(offer) === null ? null : atomicToUsd(BigInt(offer.amountAtomic))
}

/** Whether a listing claims another price than the challenge asks. */
export function hasDrift(price: PriceEpoch, listings: readonly Listing[]): boolean {
  const asked = price.priceUsd
  if (asked === null) return false
  return listings.some((listing) => {
    const claim = claimedUsd(listing)
    return claim !== null && Math.abs(asked - claim) > (claim * LIMITS.priceDriftPct) / 100
  })
}

/** Whether a price stands out in its category, or is above a dollar where there is little to compare with. */
export function isHigh(priceUsd: number, category: CategoryPrice | undefined): boolean {
  if (category === undefined || category.count < LIMITS.priceHighComparable)
    return priceUsd > LIMITS.priceHighAloneUsd
  return priceUsd > LIMITS.priceHighUsd && priceUsd > LIMITS.priceHighTimesMedian * category.medianUsd
}
