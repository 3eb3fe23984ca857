import type { Listing, Observation, Time } from '../../facts/facts.ts'
import { mainOffer } from '../offers.ts'
import { LIMITS } from '../spec.ts'
import type { Paid } from './epochs.ts'
import { claimedUsd, lowestUsd } from './prices.ts'

/** Consecutive probes that asked about the same lowest price in dollars. */
export type PriceStep = {
  readonly least: number
  readonly most: number
  /** The first probe: its id, time and receiver. */
  readonly id: string
  readonly at: Time
  readonly paid: Paid | null
  readonly count: number
}

/** The trailing probes that a price above the seller's claim may cover. */
export type PriceRun = {
  /** Oldest first; none if the last probe asked no known price. */
  readonly steps: readonly PriceStep[]
  readonly last: { readonly id: string; readonly at: Time; readonly usd: number } | null
}

/**
 * Maximum number of steps. With more, the two neighbours that are closest become one, which counts for any price that
 * either counts for.
 */
const MAX_STEPS = 24

export const NO_RUN: PriceRun = { steps: [], last: null }

const FACTOR = 1 + LIMITS.priceBaitPct / 100

/** Adds a probe that returned terms. Of several tiers the lowest counts, since a buyer may choose it. */
export function addToRun({ steps }: PriceRun, probe: Observation): PriceRun {
  const usd = lowestUsd(probe)
  if (usd === null) return NO_RUN
  const last = { id: probe.id, at: probe.at, usd }
  const step = steps.at(-1)
  if (step !== undefined && step.least === usd && step.most === usd)
    return { steps: [...steps.slice(0, -1), { ...step, count: step.count + 1 }], last }
  const offer = mainOffer(probe)
  const paid = offer === undefined ? null : { network: offer.network, payTo: offer.payTo }
  const added = { least: usd, most: usd, id: probe.id, at: probe.at, paid, count: 1 }
  // No later price is about both of two prices that are further apart; a small margin covers rounding.
  const isFar = (a: number, b: number) => a > 1.001 * b * FACTOR ** 2
  const gap = steps.findLastIndex(({ least, most }) => isFar(least, usd) || isFar(usd, most))
  return { steps: merge([...steps.slice(gap + 1), added]), last }
}

function merge(steps: readonly PriceStep[]): readonly PriceStep[] {
  if (steps.length <= MAX_STEPS) return steps
  // The last step stays, since the next probe may belong to it.
  const spreads = steps.slice(0, -2).map((step, index) => {
    const next = steps[index + 1] ?? step
    return Math.max(step.most, next.most) / Math.min(step.least, next.least)
  })
  const place = spreads.indexOf(Math.min(...spreads))
  return steps.flatMap((step, index) => {
    const next = steps[index + 1]
    if (index === place + 1) return []
    if (index !== place || next === undefined) return [step]
    const least = Math.min(step.least, next.least)
    return [{ ...step, least, most: Math.max(step.most, next.most), count: step.count + next.count }]
  })
}

/** A price above the seller's own claim, with its first and its last probe. */
export type Bait = {
  readonly first: Pick<PriceStep, 'id' | 'at' | 'paid'>
  readonly last: { readonly id: string }
  readonly listing: Listing
  readonly claimUsd: number
  readonly askedUsd: number
}

/**
 * Finds a price over 20 % above the seller's own claim that was asked for 24 h, where the claim was refreshed after
 * the price was first seen. Prices within 20 % of the current one count as equal, so small steps are one price.
 * @param isDynamic whether the price changes per request; more probes are needed then
 */
export function findBait(
  { steps, last }: PriceRun,
  listings: readonly Listing[],
  isDynamic: boolean,
): Bait | null {
  if (last === null) return null
  for (const listing of listings) {
    const claimUsd = claimedUsd(listing)
    if (!listing.ownClaim || claimUsd === null || listing.claimedAt === null) continue
    const floorUsd = claimUsd * FACTOR
    const end = steps.findLastIndex(
      ({ least, most }) => most <= floorUsd || most * FACTOR < last.usd || least > last.usd * FACTOR,
    )
    const run = steps.slice(end + 1)
    const first = run[0]
    if (first === undefined) continue
    if (last.at - first.at < LIMITS.priceBaitSpanMs || listing.claimedAt < first.at) continue
    if (isDynamic && run.reduce((sum, { count }) => sum + count, 0) < LIMITS.priceBaitDynamicLooks) continue
    return { first, last, listing, claimUsd, askedUsd: last.usd }
  }
  return null
}
