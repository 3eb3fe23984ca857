import { createPlainToll } from '../plainToll.ts'
import type { SellerSpec } from '../types.ts'

/** Claims weeks of customers, but its receiver was never paid. */
export const neverPaid: SellerSpec = {
  id: 'never-paid',
  character: 'never-paid',
  title: 'Legal answers',
  category: 'ai',
  method: 'GET',
  path: '/legal',
  priceUsd: '0.01',
  receiver: { index: 119, past: 'none' },
  listing: { bazaar: { version: 2, updatedDaysAgo: 12, calls: { total: 61, payers: 17, lastDaysAgo: 12 } } },
  expected: { guard: 'refuses', why: 'claims 61 calls, none of which is on chain' },
  create: (context) => ({ handle: createPlainToll(context) }),
}
