import { recordId } from '../facts/ids.ts'

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
