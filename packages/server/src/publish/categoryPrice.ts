import { registeredDomainOf } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import { groupBy } from '../facts/groupBy.ts'
import type { CategoryPrice } from '../facts/hostDocument.ts'
import type { EndpointGroup, HostPrice, Totals } from '../facts/totals.ts'
import { highestUsualUsd, isCategory, median } from '../judge/prices.ts'
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

/**
 * Returns the prices that endpoints are compared with. Each bought domain counts once, by the median of its prices, and
 * only once it has been known for 30 days: otherwise a seller could make the usual price with names of its own.
 */
export function listCategoryPrices(
  { endpoints, prices }: Pick<Totals, 'endpoints' | 'prices'>,
  now: Time,
): CategoryPrices {
  const known = prices.filter(({ firstSeen }) => now - firstSeen >= LIMITS.comparableAfterMs)
  const sum = (own: readonly EndpointGroup[]) => own.reduce((total, { count }) => total + count, 0)
  const most = (sum(endpoints) * LIMITS.categoryMaxSharePct) / 100
  const sizes = new Map(
    [...groupBy(endpoints, ({ category }) => category ?? '')].map(([category, own]) => [category, sum(own)]),
  )
  const named = groupBy(
    known.filter(({ category }) => isCategory(category)),
    ({ category }) => category ?? '',
  )
  const priced = [...named].flatMap(([category, own]) => {
    const price = (sizes.get(category) ?? 0) > most ? undefined : priceOf(own)
    return price === undefined ? [] : [[category, price] as const]
  })
  const whole = priceOf(known)
  return { whole: whole && { ...whole, isWhole: true }, byCategory: new Map(priced) }
}

/** Returns the laxer of two prices to compare with. */
export function laxerPrice(
  a: CategoryPrice | undefined,
  b: CategoryPrice | undefined,
): CategoryPrice | undefined {
  return highestUsualUsd(a) >= highestUsualUsd(b) ? a : b
}

function priceOf(prices: readonly HostPrice[]): CategoryPrice | undefined {
  const byDomain = [...groupBy(prices, ({ host }) => registeredDomainOf(host)).values()]
  const each = byDomain.map((own) => median(own.map(({ priceUsd }) => priceUsd)))
  return each.length === 0 ? undefined : { medianUsd: median(each), count: each.length }
}

const sumOf = (counts: PriceCounts) => [...counts.values()].reduce((sum, count) => sum + count, 0)
