import type { Observation, ObservedOffer } from '../facts/facts.ts'
import { formKey, highestAmounts, takenOffers } from './offers.ts'
import { LIMITS } from './spec.ts'
import { isFar } from './terms.ts'

/** What a seller asked for one offer in the last equal requests. */
export type PriceRange = {
  readonly offer: ObservedOffer
  /** Number of probes by amount, the lowest first. */
  readonly counts: readonly (readonly [amount: bigint, probes: number])[]
  readonly median: bigint
  /** Number of times that the amount moved by more than 20 %. */
  readonly changes: number
  /** Ids of the probes with the lowest and the highest amount that came first. */
  readonly ids: readonly string[]
}

/** Reads the amounts of each offer of the last probe, among the last 20 probes of the same request. */
export function readRanges(probes: readonly Observation[]): readonly PriceRange[] {
  const last = probes.at(-1)
  if (last === undefined) return []
  const alike = probes.filter(({ request }) => request === last.request).slice(-LIMITS.priceVariesProbes)
  const forms = new Map(alike.flatMap((probe) => takenOffers(probe).map((offer) => [formKey(offer), offer])))
  return [...forms].flatMap(([form, offer]) => {
    const asked = alike.flatMap((probe) => {
      const amount = highestAmounts(probe).get(form)
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
    return [{ offer, counts, median, changes, ids: [...new Set(ids)] }]
  })
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
  return new Map(
    ranges.flatMap((range): (readonly [string, bigint])[] => {
      const form = formKey(range.offer)
      const most = range.median * BigInt(LIMITS.priceVariesTimes)
      const latest = probes.slice(-2).map((probe) => highestAmounts(probe).get(form) ?? 0n)
      const hasMoved = latest.length > 1 && latest.every((amount) => amount > most)
      return hasMoved && !isVaried(range) ? [] : [[form, most]]
    }),
  )
}
