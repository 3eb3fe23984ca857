import { type Address, getAddress, keccak256, slice, toHex } from 'viem'
import { createPlainToll } from '../plainToll.ts'
import { usdcTerms } from '../terms.ts'
import type { SellerSpec } from '../types.ts'

const MAX_OPEN_DEPOSITS = 1_000

/** Shows a new deposit address in each challenge, so that the receiver cannot be known. */
export const perRequest: SellerSpec = {
  id: 'per-request',
  character: 'per-request',
  title: 'Private proxies',
  category: 'ai',
  method: 'GET',
  path: '/proxy',
  priceUsd: '0.01',
  receiver: { index: 121, past: 'none' },
  listing: { bazaar: { version: 2, updatedDaysAgo: 1 } },
  expected: { guard: 'refuses', why: 'the receiver differs from one request to the next' },
  create: (context) => {
    const open = new Set<Address>()
    let latest = context.receiver
    let count = 0
    const issue = () => {
      count += 1
      latest = getAddress(slice(keccak256(toHex(`touchstone economy deposit ${count}`)), 12))
      open.add(latest)
      const oldest = open.values().next().value
      if (open.size > MAX_OPEN_DEPOSITS && oldest) open.delete(oldest)
      return latest
    }
    return {
      handle: createPlainToll(context, {
        // Accept payments to any address that was handed out.
        terms: (_request, payment) => {
          const asked = [...open].find((address) => address.toLowerCase() === payment?.payTo?.toLowerCase())
          return usdcTerms(asked ?? issue(), context.spec.priceUsd)
        },
      }),
      receiver: () => latest,
    }
  },
}
