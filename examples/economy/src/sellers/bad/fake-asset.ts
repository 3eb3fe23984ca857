import { type Address, getAddress, keccak256, slice, toHex } from 'viem'
import { createPlainToll } from '../plainToll.ts'
import type { SellerSpec } from '../types.ts'

/** A token named USD Coin with 18 decimals. There is no contract at its address. */
export const FAKE_USDC: Address = getAddress(slice(keccak256(toHex('touchstone economy fake usdc')), 12))

/** Charges in a token that is not USDC. */
export const fakeAsset: SellerSpec = {
  id: 'fake-asset',
  character: 'fake-asset',
  title: 'Sports results',
  category: 'data',
  method: 'GET',
  path: '/sports',
  priceUsd: '0.01',
  receiver: { index: 120, past: 'none' },
  listing: { bazaar: { version: 2, updatedDaysAgo: 2 } },
  expected: { guard: 'refuses', why: 'the asset is not the canonical USDC of its network' },
  create: (context) => ({
    handle: createPlainToll(context, {
      terms: () => ({
        payTo: context.receiver,
        amountAtomic: (10n ** 16n).toString(),
        network: 'base',
        asset: FAKE_USDC,
        maxTimeoutSeconds: 60,
      }),
    }),
  }),
}
