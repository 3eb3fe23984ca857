import type { PricePeriod, ReceiverPeriod } from '@touchstone402/shared'
import type { RecordsOf, Time } from '../facts/facts.ts'
import { toTimestamp } from '../facts/times.ts'
import { addressProof } from './explorer.ts'
import type { Epoch } from './memory/epochs.ts'
import type { PriceEpoch } from './memory/prices.ts'

/** Lists the receivers of an endpoint with their periods, oldest first. */
export function listReceivers(epochs: readonly Epoch[], recordsOf: RecordsOf): ReceiverPeriod[] {
  return epochs.flatMap((epoch, index) => {
    const offer = epoch.first
    if (offer === null) return []
    const record = recordsOf(offer.network, offer.payTo)[0]
    return [
      {
        payTo: offer.payTo,
        from: toTimestamp(epoch.from),
        to: endOf(epochs[index + 1]),
        proof: addressProof(offer.network, offer.payTo, record?.blockNumber ?? null),
      },
    ]
  })
}

/** Lists the prices of an endpoint with their periods, oldest first. */
export function listPrices(prices: readonly PriceEpoch[]): PricePeriod[] {
  return prices.map(({ priceUsd, amountAtomic, from }, index) => ({
    priceUsd,
    amountAtomic,
    from: toTimestamp(from),
    to: endOf(prices[index + 1]),
  }))
}

const endOf = (next: { from: Time } | undefined) => (next === undefined ? null : toTimestamp(next.from))
