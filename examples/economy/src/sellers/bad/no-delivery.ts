import { createPlainToll } from '../plainToll.ts'
import type { SellerSpec } from '../types.ts'

/** Responds 502 with the transaction of a real settlement. */
const DELIVERY = { status: 502, body: 'Bad Gateway\n' } as const

/** Takes the payment and delivers nothing. Its terms are unsuspicious. */
export const noDelivery: SellerSpec = {
  id: 'no-delivery',
  character: 'no-delivery',
  title: 'Image captions',
  category: 'ai',
  method: 'GET',
  path: '/captions',
  priceUsd: '0.01',
  receiver: { index: 117, past: 'established' },
  listing: {
    bazaar: { version: 2, calls: { total: 77, payers: 18, lastDaysAgo: 1 } },
    index402: { version: 2, health: 'healthy' },
  },
  expected: {
    guard: 'refuses',
    why: 'two test purchases settle without a delivery',
  },
  declares: true,
  create: (context) => ({
    handle: createPlainToll(context, {
      deliver: (response) => {
        response.writeHead(DELIVERY.status, { 'content-type': 'text/plain' }).end(DELIVERY.body)
      },
    }),
  }),
}
