import type { RequestListener } from 'node:http'
import { usdcTerms } from './terms.ts'
import { createToll, type TollOptions } from './toll.ts'
import type { SellerContext } from './types.ts'

/**
 * A toll on the seller's listed endpoint; what is not given is as an honest seller would have it: canonical USDC, the
 * seller's price, the seller's receiver.
 */
export function createPlainToll(
  context: SellerContext,
  twist: Partial<Pick<TollOptions, 'terms' | 'versions' | 'deliver'>> = {},
): RequestListener {
  const { spec, url, facilitatorUrl, receiver } = context
  return createToll({
    offering: { url, method: spec.method, title: spec.title },
    facilitatorUrl,
    terms: () => usdcTerms(receiver, spec.priceUsd),
    ...twist,
  })
}
