import type { DatasetRecord, ReceiverFacts } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import { describeRecord, findReceiver } from '../publish/dataset.ts'
import { describeReceiver } from '../publish/liveCheck.ts'
import { readReceiverRecords } from '../store/facts.ts'
import { countPaid, readHost } from '../store/hosts.ts'
import type { Store } from '../store/store.ts'

/** Reads the dataset record of a service; undefined if the host is not known. */
export async function readRecord(store: Store, host: string, now: Time): Promise<DatasetRecord | undefined> {
  const document = await readHost(store, host)
  if (document === undefined) return undefined
  const named = findReceiver(document, now)
  const receiver = named === undefined ? null : await readReceiver(store, named.network, named.payTo)
  return describeRecord(document, receiver, now)
}

/** Reads the number of hosts that name a receiver now; null if none does. */
export async function readSharedBy(store: Store, network: string, address: string): Promise<number | null> {
  const hosts = await countPaid(store, network, address)
  return hosts === 0 ? null : hosts
}

async function readReceiver(store: Store, network: string, payTo: string): Promise<ReceiverFacts | null> {
  const record = (await readReceiverRecords(store, network, payTo)).at(-1)
  if (record === undefined) return null
  return describeReceiver(record, await readSharedBy(store, record.network, record.address))
}
