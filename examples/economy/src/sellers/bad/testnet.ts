import { createPlainToll } from '../plainToll.ts'
import { usdcTerms } from '../terms.ts'
import type { SellerSpec } from '../types.ts'

/** Listed on Base, but asks for testnet USDC of Base Sepolia. */
export const testnet: SellerSpec = {
  id: 'testnet',
  character: 'testnet',
  title: 'News headlines',
  category: 'data',
  method: 'GET',
  path: '/headlines',
  priceUsd: '0.01',
  receiver: { index: 111, past: 'none' },
  listing: { index402: { version: 2, health: 'healthy', network: 'base' } },
  expected: { guard: 'refuses', why: 'settles on a test network' },
  create: (context) => ({
    handle: createPlainToll(context, {
      terms: () => usdcTerms(context.receiver, context.spec.priceUsd, 'base-sepolia'),
    }),
  }),
}
