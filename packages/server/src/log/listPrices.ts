import type { Time } from '../domain/facts/facts.ts'
import { priceOfAll, priceOfCategory, sumOf } from '../domain/publish/categoryPrice.ts'
import { readCountName } from '../domain/publish/hostIndex.ts'
import type { LoggedPrice } from '../domain/publish/leaves.ts'
import type { Store } from '../ports/store.ts'

/** Categories whose medians are logged, the largest first; sellers choose the names, so there may be any number. */
const MAX_CATEGORIES = 2000

/** Lists the median price of everything listed, for null, and of each category that judgements compare with. */
export async function listPrices(store: Pick<Store, 'counts'>, now: Time): Promise<LoggedPrice[]> {
  const all = priceOfAll(await store.counts('price/', now))
  const endpoints = sumOf(await store.counts('status/', now))
  const byCategory = new Map<string, Map<string, number>>()
  for (const [name, count] of await store.counts('category/', now)) {
    const [, category = ''] = readCountName(name)
    const own = byCategory.get(category) ?? new Map<string, number>()
    byCategory.set(category, own.set(name, count))
  }
  const prices = [...byCategory].flatMap(([category, totals]) => {
    const price = priceOfCategory(category, totals, endpoints)
    return price === undefined ? [] : [{ category, ...price }]
  })
  // Ties by name, so that two processes would log the same.
  prices.sort((a, b) => b.count - a.count || (a.category < b.category ? -1 : 1))
  return [...(all ? [{ category: null, ...all }] : []), ...prices.slice(0, MAX_CATEGORIES)]
}
