import { networkAddressKey } from '@touchstone402/shared'
import type { Observation, ReceiverRecord, RecordsOf } from '../domain/facts/facts.ts'
import { mainOffer } from '../domain/judge/offers.ts'
import type { Store } from '../ports/store.ts'

/** Reads the chain records of all receivers that an endpoint was seen to name. */
export async function readRecords(
  store: Pick<Store, 'receiver'>,
  endpoint: string,
  observations: readonly Observation[],
): Promise<RecordsOf> {
  const offers = observations.flatMap((probe) => (probe.endpoint === endpoint && mainOffer(probe)) || [])
  const receivers = new Map(offers.map((offer) => [networkAddressKey(offer.network, offer.payTo), offer]))
  const records = new Map<string, readonly ReceiverRecord[]>()
  for (const [key, { network, payTo }] of receivers) records.set(key, await store.receiver(network, payTo))
  return (network, address) => records.get(networkAddressKey(network, address)) ?? []
}
