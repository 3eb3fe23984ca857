import { createPlainToll } from '../plainToll.ts'
import type { SellerSpec } from '../types.ts'

/** Its listing, refreshed every hour, claims $0.01. Its challenge asks $0.05, which is what customers paid. */
export const priceBait: SellerSpec = {
  id: 'price-bait',
  character: 'price-bait',
  title: 'Domain lookups',
  category: 'data',
  method: 'GET',
  path: '/domains',
  priceUsd: '0.05',
  receiver: { index: 116, past: 'established' },
  listing: {
    bazaar: {
      version: 2,
      priceUsd: '0.01',
      updatedDaysAgo: 'always',
      calls: { total: 90, payers: 19, lastDaysAgo: 0 },
    },
  },
  expected: { guard: 'refuses', why: 'charges five times its own recent claim' },
  create: (context) => ({ handle: createPlainToll(context) }),
}
