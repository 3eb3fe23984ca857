import type { RequestListener } from 'node:http'
import { usdcTerms } from './terms.ts'
import { createToll, type TollOptions } from './toll.ts'
import type { SellerContext } from './types.ts'

/**
 * Creates a toll on the seller's listed endpoint. Defaults are those of an honest seller: canonical USDC, its price and
 * its receiver.
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
