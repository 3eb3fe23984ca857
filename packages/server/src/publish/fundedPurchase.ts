import { formatUsdc, usdToAtomic } from '@touchstone402/shared'
import type { EndpointState } from '../facts/hostDocument.ts'
import { recordId } from '../facts/ids.ts'
import { payablePrices } from '../judge/delivery.ts'

/** Tags are below a cent. */
const MAX_TAG = 9_999

/**
 * Returns the amount of USDC, in its smallest unit, that funds a test purchase at an endpoint: the price, and a tag below a
 * cent that tells it from the other endpoints of its receiver.
 */
export function fundingAmount(endpoint: string, priceAtomic: bigint): bigint {
  const number = Number.parseInt(recordId('fund', endpoint).slice(-8), 16)
  return priceAtomic + BigInt(1 + (number % MAX_TAG))
}

/**
 * Returns the price in the smallest unit of USDC that a funded purchase pays: of the dearest offer that can be paid, which
 * proves the others too; null without one.
 */
export function fundedPrice({ terms, shopping }: Pick<EndpointState, 'terms' | 'shopping'>): bigint | null {
  const prices = shopping == null ? [] : payablePrices(terms, shopping.network)
  return prices.length === 0 ? null : usdToAtomic(Math.max(...prices).toFixed(6))
}

/** Whether a seller may fund a test purchase at an endpoint: above the limit, or where its dear offers are unproven. */
export function isFundable({ delivery, flags }: Pick<EndpointState, 'delivery' | 'flags'>): boolean {
  if (delivery === undefined) return false
  const isBuyable = delivery.reason === null || delivery.reason === 'receivers_differ'
  return delivery.reason === 'price_above_limit' || (isBuyable && flags.includes('unproven'))
}

/** A payment by which a seller funds a test purchase. */
export type FundingOffer = {
  readonly endpoint: string
  readonly network: string
  /** Receiver of the endpoint, from which the payment must come. */
  readonly from: string
  readonly to: string
  /** Decimal dollars, such as `5.003117`. */
  readonly amountUsd: string
}

/**
 * Lists the payments that fund test purchases at the endpoints that need them.
 * @param to address of the service that payments go to
 */
export function listFunding(endpoints: readonly EndpointState[], to: string): FundingOffer[] {
  return endpoints.flatMap((state) => {
    const { endpoint, payTo, shopping } = state
    const price = fundedPrice(state)
    if (!isFundable(state) || price === null || payTo === null || shopping == null) return []
    const amountUsd = formatUsdc(fundingAmount(endpoint, price))
    return [{ endpoint, network: shopping.network, from: payTo, to, amountUsd }]
  })
}
