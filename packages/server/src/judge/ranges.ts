import type { Observation, ObservedOffer } from '../facts/facts.ts'
import { formKey, highestAmounts, signableOffers } from './offers.ts'
import { dearestOffer, toUsd } from './prices.ts'
import { LIMITS } from './spec.ts'
import { isFar } from './terms.ts'

/** Unit of prices that are compared across assets: a dollar has so many. */
export const MICRO_DOLLARS = 1e6

/** Amounts asked for one offer in the latest equal requests. */
export type PriceRange = {
  readonly offer: ObservedOffer
  /** Whether amounts are millionths of a dollar, of the dearest offer of each probe. */
  readonly isUsd: boolean
  /** Number of probes by amount, the lowest first. */
  readonly counts: readonly (readonly [amount: bigint, probes: number])[]
  readonly median: bigint
  /** The median, or the lowest amount while probes are too few for chance to even out. */
  readonly usual: bigint
  /** Number of times that the amount moved by more than 20 %. */
  readonly changes: number
  /** Ids of the probes with the lowest and the highest amount that came first. */
  readonly ids: readonly string[]
}

/**
 * Reads the amounts of each offer among the last 20 probes of the same request, and the price of the dearest one in
 * millionths of a dollar, whatever its network and asset.
 */
export function readRanges(probes: readonly Observation[]): readonly PriceRange[] {
  const last = probes.at(-1)
  if (last === undefined) return []
  const alike = probes.filter(({ request }) => request === last.request).slice(-LIMITS.priceVariesProbes)
  const forms = new Map(
    alike.flatMap((probe) => signableOffers(probe).map((offer) => [formKey(offer), offer])),
  )
  const ofForms = [...forms].flatMap(([form, offer]) =>
    readRange(alike, offer, false, (probe) => highestAmounts(probe).get(form)),
  )
  const dearest = dearestOffer(alike.findLast((probe) => dearestOffer(probe) !== undefined) ?? last)
  const ofDearest = (probe: Observation) => {
    const usd = dearestOffer(probe)?.usd
    return usd === undefined ? undefined : BigInt(Math.round(usd * MICRO_DOLLARS))
  }
  return [...ofForms, ...(dearest === undefined ? [] : readRange(alike, dearest.offer, true, ofDearest))]
}

function readRange(
  probes: readonly Observation[],
  offer: ObservedOffer,
  isUsd: boolean,
  amountOf: (probe: Observation) => bigint | undefined,
): PriceRange[] {
  const asked = probes.flatMap((probe) => {
    const amount = amountOf(probe)
    return amount === undefined ? [] : [{ id: probe.id, amount }]
  })
  const sorted = asked.map(({ amount }) => amount).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const [low] = sorted
  const high = sorted.at(-1)
  const median = sorted[Math.floor((sorted.length - 1) / 2)]
  if (low === undefined || high === undefined || median === undefined) return []
  const changes = asked.filter(
    ({ amount }, index) => index > 0 && isFar(asked[index - 1]?.amount ?? amount, amount),
  ).length
  const ids = [low, high].flatMap((end) => asked.find(({ amount }) => amount === end)?.id ?? [])
  const counts = [...new Set(sorted)].map(
    (amount) => [amount, sorted.filter((one) => one === amount).length] as const,
  )
  const usual = asked.length < LIMITS.priceVariesProbes / 2 ? low : median
  return [{ offer, isUsd, counts, median, usual, changes, ids: [...new Set(ids)] }]
}

/**
 * Whether a price is a range: it varies by more than 3 times, up and down again. A scheme whose amount is a maximum
 * declares that, and tiers of one challenge are compared by the highest.
 */
export function isVaried({ offer, counts, changes }: PriceRange): boolean {
  const [low, high] = [counts[0]?.[0] ?? 0n, counts.at(-1)?.[0] ?? 0n]
  return (
    offer.scheme !== 'upto' &&
    high > low * BigInt(LIMITS.priceVariesTimes) &&
    changes >= LIMITS.priceVariesChanges
  )
}

/** Returns the highest amount of each form that is vouched for: three times the median, unless the price moved for good. */
export function capAmounts(
  ranges: readonly PriceRange[],
  probes: readonly Observation[],
): ReadonlyMap<string, bigint> {
  const times = BigInt(LIMITS.priceVariesTimes)
  const usd = ranges.find((range) => range.isUsd && isVaried(range))
  /** Whether a price that varies from offer to offer has this one at its upper end. */
  const isDear = (offer: ObservedOffer) =>
    usd !== undefined && (toUsd(offer) ?? 0) * MICRO_DOLLARS > Number(usd.usual * times)
  return new Map(
    ranges.flatMap((range): (readonly [string, bigint])[] => {
      if (range.isUsd) return []
      const form = formKey(range.offer)
      const most = range.usual * times
      if (isDear(range.offer)) return [[form, -1n]]
      return !isVaried(range) && hasMoved(probes, form, most) ? [] : [[form, most]]
    }),
  )
}

/** Whether the last probes all ask for more: five in a row over three hours, by two clients. Two may be chance. */
function hasMoved(probes: readonly Observation[], form: string, most: bigint): boolean {
  const run = probes.slice(
    probes.findLastIndex((probe) => (highestAmounts(probe).get(form) ?? 0n) <= most) + 1,
  )
  const [first] = run
  const last = run.at(-1)
  if (first === undefined || last === undefined || run.length < LIMITS.priceMovedProbes) return false
  return last.at - first.at >= LIMITS.priceMovedMs && run.some(({ client }) => client !== first.client)
}
