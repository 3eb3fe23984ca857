import { createPlainToll } from '../plainToll.ts'
import type { SellerSpec } from '../types.ts'

/** Charges 250 times the price of its category, openly and constantly. */
export const overpriced: SellerSpec = {
  id: 'overpriced',
  character: 'overpriced',
  title: 'Premium weather',
  category: 'data',
  method: 'GET',
  path: '/premium-weather',
  priceUsd: '2.50',
  receiver: { index: 110, past: 'established' },
  listing: {
    bazaar: { version: 2, calls: { total: 80, payers: 18, lastDaysAgo: 1 } },
    index402: { version: 2, health: 'healthy' },
  },
  expected: { guard: 'refuses', why: '$2.50 where the category asks about $0.01' },
  create: (context) => ({ handle: createPlainToll(context) }),
}
