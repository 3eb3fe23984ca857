import { createStockV1 } from '../stock.ts'
import type { SellerSpec } from '../types.ts'

/** Uses the stock v1 middleware. */
export const honestV1: SellerSpec = {
  id: 'honest-v1',
  character: 'honest',
  title: 'Exchange rates of the day',
  category: 'data',
  method: 'GET',
  path: '/rates',
  priceUsd: '0.01',
  receiver: { index: 101, past: 'established' },
  listing: {
    bazaar: { version: 1, calls: { total: 80, payers: 19, lastDaysAgo: 0 } },
    index402: { version: 1, health: 'healthy', withMethod: false },
  },
  expected: { guard: 'pays', why: 'established receiver, stable terms, fair price' },
  declares: true,
  create: (context) => createStockV1(context),
}
