import { groupBy } from '../facts/groupBy.ts'
import type { CategoryPrice } from '../facts/hostDocument.ts'
import type { EndpointGroup } from '../facts/totals.ts'
import { isCategory } from '../judge/prices.ts'
import { LIMITS } from '../judge/spec.ts'

/** Number of endpoints by price in dollars. */
export type PriceCounts = ReadonlyMap<number, number>

/** Returns the median of counted values; NaN without any. */
export function medianOf(counts: PriceCounts): number {
  const sorted = [...counts].sort(([a], [b]) => a - b)
  const total = sumOf(counts)
  const at = (place: number): number => {
    let left = place
    for (const [value, count] of sorted) {
      if (left < count) return value
      left -= count
    }
    return Number.NaN
  }
  const upper = at(Math.floor(total / 2))
  return total % 2 === 1 ? upper : (at(total / 2 - 1) + upper) / 2
}

/** Counts live endpoints by their price in dollars. */
export function countPrices(endpoints: readonly EndpointGroup[]): ReadonlyMap<number, number> {
  const prices = new Map<number, number>()
  for (const { status, priceUsd, count } of endpoints) {
    if (status === 'live' && priceUsd !== null) prices.set(priceUsd, (prices.get(priceUsd) ?? 0) + count)
  }
  return prices
}

/** The prices that endpoints are compared with. */
export type CategoryPrices = {
  /** Of everything listed; undefined if nothing live has a price. */
  readonly whole: CategoryPrice | undefined
  /**
   * By category. Omits categories that do not describe an endpoint, have no live priced endpoint, or hold
   * more than {@link LIMITS.categoryMaxSharePct} of all endpoints.
   */
  readonly byCategory: ReadonlyMap<string, CategoryPrice>
}

/** Returns the prices that endpoints are compared with. */
export function listCategoryPrices(endpoints: readonly EndpointGroup[]): CategoryPrices {
  const named = endpoints.filter(({ category }) => isCategory(category))
  const groups = groupBy(named, ({ category }) => category ?? '')
  const sum = (own: readonly EndpointGroup[]) => own.reduce((total, { count }) => total + count, 0)
  const most = (sum(endpoints) * LIMITS.categoryMaxSharePct) / 100
  const priced = [...groups].flatMap(([category, own]) => {
    const price = sum(own) > most ? undefined : priceOf(countPrices(own))
    return price === undefined ? [] : [[category, price] as const]
  })
  const whole = priceOf(countPrices(endpoints))
  return { whole: whole && { ...whole, isWhole: true }, byCategory: new Map(priced) }
}

const sumOf = (counts: PriceCounts) => [...counts.values()].reduce((sum, count) => sum + count, 0)

const priceOf = (prices: PriceCounts): CategoryPrice | undefined =>
  prices.size === 0 ? undefined : { medianUsd: medianOf(prices), count: sumOf(prices) }
