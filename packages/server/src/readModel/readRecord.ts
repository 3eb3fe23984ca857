import type { DatasetRecord, ReceiverFacts } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import type { Store } from '../ports/store.ts'
import { describeRecord, findReceiver } from '../publish/dataset.ts'
import { describeReceiver } from '../publish/liveCheck.ts'

/** Reads the dataset record of a service; undefined if the host is not known. */
export async function readRecord(
  store: Pick<Store, 'host' | 'receiver' | 'countPaid'>,
  host: string,
  now: Time,
): Promise<DatasetRecord | undefined> {
  const document = await store.host(host)
  if (document === undefined) return undefined
  const named = findReceiver(document, now)
  const receiver = named === undefined ? null : await readReceiver(store, named.network, named.payTo)
  return describeRecord(document, receiver, now)
}

/** Reads the number of hosts that name a receiver now; null if none does. */
export async function readSharedBy(
  store: Pick<Store, 'countPaid'>,
  network: string,
  address: string,
): Promise<number | null> {
  const hosts = await store.countPaid(network, address)
  return hosts === 0 ? null : hosts
}

async function readReceiver(
  store: Pick<Store, 'receiver' | 'countPaid'>,
  network: string,
  payTo: string,
): Promise<ReceiverFacts | null> {
  const record = (await store.receiver(network, payTo)).at(-1)
  if (record === undefined) return null
  return describeReceiver(record, await readSharedBy(store, record.network, record.address))
}
