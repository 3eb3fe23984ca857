import type { Time } from '../facts/facts.ts'
import { listCategoryPrices } from '../publish/categoryPrice.ts'
import type { LoggedPrice } from '../publish/leaves.ts'
import type { Store } from '../store/store.ts'

/** Categories whose medians are logged, the largest first; sellers choose the names, so there may be any number. */
const MAX_CATEGORIES = 2000

/** Lists the median price of everything listed, for null, and of each category that judgements compare with. */
export async function listPrices(store: Store, now: Time): Promise<LoggedPrice[]> {
  const { whole, byCategory } = listCategoryPrices(await store.totals(now), now)
  const prices = [...byCategory].map(([category, price]) => ({ category, ...price }))
  // Ties by name, so that two processes would log the same.
  prices.sort((a, b) => b.count - a.count || (a.category < b.category ? -1 : 1))
  return [...(whole ? [{ category: null, ...whole }] : []), ...prices.slice(0, MAX_CATEGORIES)]
}
