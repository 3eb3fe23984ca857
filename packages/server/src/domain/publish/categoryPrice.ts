import type { CategoryPrice } from '../facts/hostDocument.ts'
import { isCategory } from '../judge/memory/prices.ts'
import { LIMITS } from '../judge/spec.ts'
import { countName, readCountName } from './hostIndex.ts'

/** Number of live endpoints by price in dollars, as decimal strings. */
export type PriceCounts = ReadonlyMap<string, number>

/** Returns the median of counted values; NaN without any. */
export function medianOf(counts: PriceCounts): number {
  const sorted = [...counts].map(([value, count]) => ({ value: Number(value), count }))
  sorted.sort((a, b) => a.value - b.value)
  const total = sumOf(counts)
  const at = (place: number): number => {
    let left = place
    for (const { value, count } of sorted) {
      if (left < count) return value
      left -= count
    }
    return Number.NaN
  }
  const upper = at(Math.floor(total / 2))
  return total % 2 === 1 ? upper : (at(total / 2 - 1) + upper) / 2
}

/** Returns the price of everything listed; undefined if nothing live has a price. @param totals those of `price/` */
export function priceOfAll(totals: ReadonlyMap<string, number>): CategoryPrice | undefined {
  const price = priceOf(totals, 'price')
  return price && { ...price, isWhole: true }
}

/**
 * Returns the price of a category; undefined if it says nothing of what an endpoint does, if nothing live in it has a
 * price, or if it holds more than {@link LIMITS.categoryMaxSharePct} of all endpoints.
 * @param totals those of the category, see {@link categoryPrefix}
 * @param endpoints number of all endpoints
 */
export function priceOfCategory(
  category: string,
  totals: ReadonlyMap<string, number>,
  endpoints: number,
): CategoryPrice | undefined {
  const own = totals.get(countName('category', category, 'endpoints')) ?? 0
  if (!isCategory(category) || own > (endpoints * LIMITS.categoryMaxSharePct) / 100) return undefined
  return priceOf(totals, 'category', category, 'price')
}

/** Returns the prefix of the totals of a category. */
export function categoryPrefix(category: string): string {
  return `${countName('category', category)}/`
}

/** Returns the sum of totals. */
export function sumOf(totals: ReadonlyMap<string, number>): number {
  return [...totals.values()].reduce((sum, count) => sum + count, 0)
}

function priceOf(totals: ReadonlyMap<string, number>, ...path: readonly string[]): CategoryPrice | undefined {
  const start = `${countName(...path)}/`
  const prices = new Map(
    [...totals].flatMap(([name, count]) =>
      name.startsWith(start) ? [[readCountName(name).at(-1) ?? '', count] as const] : [],
    ),
  )
  return prices.size === 0 ? undefined : { medianUsd: medianOf(prices), count: sumOf(prices) }
}
