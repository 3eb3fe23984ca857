import { createStockV2 } from '../stock.ts'
import type { SellerSpec } from '../types.ts'

/** A second, slightly cheaper weather service. */
export const honestWeather: SellerSpec = {
  id: 'honest-weather',
  character: 'honest',
  title: 'Seven-day forecast',
  category: 'data',
  method: 'GET',
  path: '/forecast',
  priceUsd: '0.008',
  receiver: { index: 104, past: 'established' },
  listing: { bazaar: { version: 2, calls: { total: 90, payers: 21, lastDaysAgo: 0 } } },
  expected: { guard: 'pays', why: 'established receiver, stable terms, fair price' },
  create: (context) => createStockV2(context),
}
