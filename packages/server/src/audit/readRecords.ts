import { networkAddressKey } from '@touchstone402/shared'
import type { Observation, ReceiverRecord, RecordsOf } from '../domain/facts/facts.ts'
import { listNamedReceivers } from '../domain/judge/receivers.ts'
import type { Store } from '../ports/store.ts'

/** Reads the chain records of all receivers that an endpoint was seen to name. */
export async function readRecords(
  store: Pick<Store, 'receiver'>,
  endpoint: string,
  observations: readonly Observation[],
): Promise<RecordsOf> {
  const records = new Map<string, readonly ReceiverRecord[]>()
  for (const probe of observations) {
    if (probe.endpoint !== endpoint) continue
    for (const { network, payTo } of listNamedReceivers(probe)) {
      const key = networkAddressKey(network, payTo)
      if (!records.has(key)) records.set(key, await store.receiver(network, payTo))
    }
  }
  return (network, address) => records.get(networkAddressKey(network, address)) ?? []
}
