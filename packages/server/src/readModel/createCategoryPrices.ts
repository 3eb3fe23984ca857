import type { CategoryPrice } from '../domain/facts/hostDocument.ts'
import { MINUTE } from '../domain/facts/times.ts'
import { isCategory } from '../domain/judge/memory/prices.ts'
import { categoryPrefix, priceOfAll, priceOfCategory, sumOf } from '../domain/publish/categoryPrice.ts'
import type { Store } from '../ports/store.ts'

/** Medians change slowly. */
const KEPT_MS = 10 * MINUTE
/** Sellers choose the names of categories, so there may be any number. */
const MAX_CATEGORIES = 1000

type Kept = { readonly at: number; readonly price: Promise<CategoryPrice | undefined> }

/** Creates a cached look-up of the price of a category, or of everything listed if it is none or too large. */
export function createCategoryPrices(
  store: Pick<Store, 'counts'>,
  now: () => number,
): (category: string | null) => Promise<CategoryPrice | undefined> {
  const kept = new Map<string | null, Kept>()

  const read = async (category: string | null): Promise<CategoryPrice | undefined> => {
    const at = now()
    if (category === null) return priceOfAll(await store.counts('price/', at))
    const endpoints = sumOf(await store.counts('status/', at))
    const own = await store.counts(categoryPrefix(category), at)
    return priceOfCategory(category, own, endpoints) ?? find(null)
  }
  const find = (category: string | null): Promise<CategoryPrice | undefined> => {
    const known = kept.get(category)
    if (known !== undefined && now() - known.at < KEPT_MS) return known.price
    const entry = { at: now(), price: read(category) }
    entry.price.catch(() => {
      if (kept.get(category) === entry) kept.delete(category)
    })
    kept.delete(category)
    kept.set(category, entry)
    const [oldest] = kept.keys()
    if (kept.size > MAX_CATEGORIES && oldest !== undefined) kept.delete(oldest)
    return entry.price
  }
  return (category) => find(isCategory(category) ? category : null)
}
