import { createStockV1 } from '../stock.ts'
import type { SellerSpec } from '../types.ts'

/** A v1 search service that only the 402 index lists. */
export const honestSearch: SellerSpec = {
  id: 'honest-search',
  character: 'honest',
  title: 'Web search',
  category: 'data',
  method: 'GET',
  path: '/api/v1/search',
  priceUsd: '0.012',
  receiver: { index: 105, past: 'established' },
  listing: { index402: { version: 1, health: 'healthy' } },
  expected: { guard: 'pays', why: 'established receiver, stable terms, fair price' },
  create: (context) => createStockV1(context),
}
