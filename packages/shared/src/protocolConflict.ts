import { atomicToUsd, isDollarToken } from './knownNetworks.ts'
import { sameAddress } from './networks.ts'
import { type OtherOffer, readOtherOffers } from './otherOffers.ts'
import type { Challenge, Offer } from './x402.ts'

/** Two protocols of one 402 that ask for different payments of one call. */
export type ProtocolConflict = {
  offer: Offer
  other: OtherOffer
  differs: { amount: boolean; receiver: boolean }
}

/** Tempo's tokens are dollars with six decimals at addresses with this prefix. Source: TIP-20. */
const TIP20 = /^0x20c0{22}/i
/** Difference in price that is no rounding. */
const MAX_RATIO = 1.01

/**
 * Finds an offer of another protocol that no x402 offer equals: another receiver of the same token on the same network,
 * or another price in dollars. What cannot be compared, such as the price of a session, is no conflict.
 */
export function findProtocolConflict({ offers, authenticate }: Challenge): ProtocolConflict | null {
  for (const other of readOtherOffers(authenticate)) {
    if (other.intent !== 'charge' || other.amountAtomic === '0') continue
    const compared = offers.map((offer) => ({ offer, other, differs: compare(offer, other) }))
    const known = compared.filter(({ differs }) => differs !== null) as ProtocolConflict[]
    const [first] = known.sort((a, b) => Number(b.differs.receiver) - Number(a.differs.receiver))
    if (first !== undefined && known.every(({ differs }) => differs.amount || differs.receiver)) return first
  }
  return null
}

function compare(offer: Offer, other: OtherOffer): ProtocolConflict['differs'] | null {
  const { network, asset, payTo } = other
  const isSameToken =
    network !== null && asset !== null && offer.network === network && sameAddress(offer.asset, asset)
  const receiver = isSameToken && payTo !== null && !sameAddress(offer.payTo, payTo)
  if (isSameToken)
    return { receiver, amount: other.amountAtomic !== null && offer.amountAtomic !== other.amountAtomic }
  const [ours, theirs] = [priceOf(offer), priceOf(other)]
  if (ours === null || theirs === null) return null
  return { receiver, amount: Math.max(ours, theirs) > Math.min(ours, theirs) * MAX_RATIO }
}

/** Price of an offer in dollars; null if it is not in a known dollar token. */
export function priceOf({
  network,
  asset,
  amountAtomic,
}: Pick<OtherOffer, 'network' | 'asset' | 'amountAtomic'>): number | null {
  if (network === null || asset === null || amountAtomic === null) return null
  if (TIP20.test(asset)) return Number(amountAtomic) / 1e6
  // The rate of another currency in the table is no measurement.
  return isDollarToken(network, asset) ? atomicToUsd(network, asset, BigInt(amountAtomic)) : null
}
