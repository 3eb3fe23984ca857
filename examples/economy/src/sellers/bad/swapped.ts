import { createPlainToll } from '../plainToll.ts'
import { usdcTerms } from '../terms.ts'
import type { SellerSpec } from '../types.ts'

const SWAPPED_BEFORE_START_MS = 86_400_000

/** Changed its receiver to a fresh wallet a day before the start, without an announcement. */
export const swapped: SellerSpec = {
  id: 'swapped',
  character: 'swapped',
  title: 'Company profiles',
  category: 'data',
  method: 'GET',
  path: '/companies',
  priceUsd: '0.01',
  receiver: { index: 114, past: 'established' },
  otherReceiver: 150,
  listing: { bazaar: { version: 2, calls: { total: 88, payers: 20, lastDaysAgo: 1 } } },
  expected: { guard: 'refuses', why: 'receiver changed yesterday without an announcement' },
  create: (context) => {
    const receiver = () =>
      context.clock.now() < context.startedAt - SWAPPED_BEFORE_START_MS
        ? context.receiver
        : context.otherReceiver
    return {
      handle: createPlainToll(context, { terms: () => usdcTerms(receiver(), context.spec.priceUsd) }),
      receiver,
    }
  },
}
