import type { Listing, Observation, Time } from '../../facts/facts.ts'
import { askedUsd, claimedUsd, lowestUsd, median, type PriceEpoch, type PriceJump } from '../memory/prices.ts'
import { mainOffer, offerKey } from '../offers.ts'
import { LIMITS } from '../spec.ts'

/** Splits successful probes by the price of the main offer. */
export function splitPrices(probes: readonly Observation[]): PriceEpoch[] {
  const epochs: PriceEpoch[] = []
  for (const probe of probes) {
    const offer = mainOffer(probe)
    if (offer === undefined) continue
    const last = epochs.at(-1)
    if (last !== undefined && last.key === offerKey(offer) && last.amountAtomic === offer.amountAtomic) {
      continue
    }
    epochs.push({
      key: offerKey(offer),
      amountAtomic: offer.amountAtomic,
      priceUsd: askedUsd(probe),
      from: probe.at,
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

/** A price above the seller's own claim, with the probes that asked it, oldest first. */
export type PlainBait = {
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
): PlainBait | null {
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
