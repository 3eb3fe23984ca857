import { createStockV2 } from '../stock.ts'
import type { SellerSpec } from '../types.ts'

/** Uses the stock v2 middleware, with a fair price and an established receiver. */
export const honestV2: SellerSpec = {
  id: 'honest-v2',
  character: 'honest',
  title: 'Current weather for any place',
  category: 'data',
  method: 'GET',
  path: '/weather',
  priceUsd: '0.01',
  receiver: { index: 100, past: 'established' },
  listing: {
    bazaar: { version: 2, calls: { total: 96, payers: 18, lastDaysAgo: 0 } },
    index402: { version: 2, health: 'healthy' },
  },
  expected: { guard: 'pays', why: 'established receiver, stable terms, fair price' },
  declares: true,
  create: (context) => createStockV2(context),
}
