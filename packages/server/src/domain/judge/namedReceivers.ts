import { networkAddressKey } from '@touchstone402/shared'
import type { ObservedOffer } from '../facts/facts.ts'
import { mainOffer, remember, vouchedOffers } from './offers.ts'

/** Maximum number of receivers of one probe that are looked up. */
const MAX_NAMED = 3

/** Returns the first receivers that a verdict on a probe vouches for: the main offer's, then those on Base. */
export const listNamedReceivers = remember(
  (observation): readonly Pick<ObservedOffer, 'network' | 'payTo'>[] => {
    const main = mainOffer(observation)
    const offers = [...(main === undefined ? [] : [main]), ...vouchedOffers(observation)]
    const named = new Map(offers.map((offer) => [networkAddressKey(offer.network, offer.payTo), offer]))
    return [...named.values()].slice(0, MAX_NAMED)
  },
)
