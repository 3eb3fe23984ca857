import { createStockV2 } from '../stock.ts'
import type { SellerSpec } from '../types.ts'

/** Accepts POST only. A GET probe sees 405 and no terms. */
export const postOnly: SellerSpec = {
  id: 'post-only',
  character: 'honest',
  title: 'Sentiment of a text',
  category: 'ai',
  method: 'POST',
  path: '/sentiment',
  priceUsd: '0.02',
  receiver: { index: 103, past: 'established' },
  listing: {
    bazaar: { version: 2, calls: { total: 84, payers: 20, lastDaysAgo: 1 } },
    index402: { version: 2, health: 'healthy' },
  },
  expected: { guard: 'pays', why: 'honest, and called with its own method' },
  declares: true,
  create: (context) => createStockV2(context),
}
