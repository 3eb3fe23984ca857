import { formatUsdc, usdToAtomic } from '@touchstone402/shared'
import type { EndpointState } from '../facts/hostDocument.ts'
import { recordId } from '../facts/ids.ts'
import { buyablePrice } from '../judge/delivery.ts'

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

/** Returns the price in the smallest unit of USDC that a funded purchase pays; null without an offer that can be paid. */
export function fundedPrice({ terms, shopping }: Pick<EndpointState, 'terms' | 'shopping'>): bigint | null {
  const priceUsd = shopping == null ? null : buyablePrice(terms, shopping.network)
  return priceUsd === null ? null : usdToAtomic(priceUsd.toFixed(6))
}

/** Whether a seller may fund a test purchase at an endpoint. */
export const isFundable = ({ delivery }: Pick<EndpointState, 'delivery'>): boolean =>
  delivery?.reason === 'price_above_limit'

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
 * Lists the payments that fund test purchases at the endpoints whose price is above the limit.
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
