import { createPlainToll } from '../plainToll.ts'
import type { SellerSpec } from '../types.ts'

/** Supports both versions with the same terms. Its last payment was over a month ago. */
export const honestBoth: SellerSpec = {
  id: 'honest-both',
  character: 'honest',
  title: 'Summaries of public filings',
  category: 'data',
  method: 'GET',
  path: '/filings',
  priceUsd: '0.01',
  receiver: { index: 102, past: 'dormant' },
  listing: { bazaar: { version: 2, updatedDaysAgo: 20 } },
  expected: { guard: 'pays', why: 'both versions agree; the receiver is dormant, not bad' },
  create: (context) => ({ handle: createPlainToll(context) }),
}
