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
  /** The document as it was read last. */
  readonly listing: Listing
  /** The same one, and the document as it was read before the first of the probes. */
  readonly readings: readonly Listing[]
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
 * Finds prices above the seller's own claim in at least half of the probes of the two days before the document was last
 * read, and since then; or of the last ones, where these are few. They need not be one price, nor follow one another: a
 * seller could break any run with one honest answer. Of several tiers the lowest counts, since a buyer may choose it.
 * @param listings all that were read, oldest first
 * @returns null if there are none
 */
export function findDearer(
  probes: readonly Observation[],
  listings: readonly Listing[],
  limits: Limits,
): DearerThanClaim | null {
  const own = listings.filter(isDeclaredByHost)
  const directories = [...new Set(own.map(({ directory }) => directory))]
  const found = directories.map((name) =>
    compare(
      probes,
      own.filter(({ directory }) => directory === name),
      limits,
    ),
  )
  return found.find((one) => one !== null) ?? null
}

/** Compares the probes with each reading of one document. */
function compare(
  probes: readonly Observation[],
  readings: readonly Listing[],
  { times, spanMs, probes: least }: Limits,
): DearerThanClaim | null {
  const listing = readings.at(-1)
  const claimUsd = listing === undefined ? null : claimedUsd(listing)
  if (listing === undefined || claimUsd === null || listing.claimedAt === null) return null
  const isBelow = (reading: Listing, usd: number) => usd > (claimedUsd(reading) ?? Infinity) * times
  // The document may have been changed with the price, so what it said before and after a probe counts.
  const around = ({ at }: Observation) => {
    const before = readings.findLast(({ claimedAt }) => claimedAt !== null && claimedAt <= at)
    const after = readings.find(({ claimedAt }) => claimedAt !== null && claimedAt > at)
    return before === undefined ? [] : [before, ...(after === undefined ? [] : [after])]
  }
  const since = Math.min(listing.claimedAt, probes.at(-1)?.at ?? 0) - LIMITS.priceBaitWindowMs
  const firstRead = Math.min(...readings.map(({ claimedAt }) => claimedAt ?? Number.POSITIVE_INFINITY))
  const compared = probes.filter(({ at }) => at >= firstRead)
  // Gaps are drawn, so two days may hold few probes. Half of them must still reach the minimum.
  const asked = compared.filter(({ at }, index) => at >= since || index >= compared.length - 2 * least)
  const dear = asked.filter((probe) => {
    const usd = lowestUsd(probe) ?? 0
    return around(probe).every((reading) => isBelow(reading, usd))
  })
  const [first, last] = [dear[0], dear.at(-1)]
  if (first === undefined || last === undefined) return null
  if (dear.length < least || 2 * dear.length < asked.length || last.at - first.at < spanMs) return null
  if (listing.claimedAt < first.at) return null
  const { id, at } = first
  const askedUsd = lowestUsd(last) ?? 0
  const both = [...new Set([...around(first).slice(0, 1), listing])]
  return { first: { id, at, paid: mainOffer(first) }, last, listing, readings: both, claimUsd, askedUsd }
}
