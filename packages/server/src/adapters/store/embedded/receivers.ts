import { networkAddressKey } from '@touchstone402/shared'
import type { ReceiverRecord, Time } from '../../../domain/facts/facts.ts'
import type { Transaction } from './createWriter.ts'
import { between, type Key, keyOf, MAX_TIME, readUint, text } from './keys.ts'
import { first, fromBytes, NOTHING, read, type Source, toBytes } from './source.ts'

/** Orders of the records of a receiver that a judgement reads. */
type Chosen = { readonly first: string; readonly newest: string; readonly answered: string | null }

/** Number of receivers that have a record. */
const RECEIVERS = keyOf('w')

const receiverPart = (network: string, address: string) => text(networkAddressKey(network, address))

/** Adds a record of a receiver. */
export async function putReceiver(tx: Transaction, record: ReceiverRecord, order: string): Promise<void> {
  const receiver = receiverPart(record.network, record.address)
  const before = await read<Chosen>(tx, keyOf('W', receiver))
  if (before === undefined) tx.add(RECEIVERS, 1)
  const isAnswered = (record.sanctions?.isListed ?? null) !== null
  const [oldest = order] = before ? [before.first, order].sort() : []
  const [, newest = order] = before ? [before.newest, order].sort() : []
  const [, answered = order] = [before?.answered ?? '', order].sort()
  const chosen: Chosen = {
    first: oldest,
    newest,
    answered: isAnswered ? answered : (before?.answered ?? null),
  }
  tx.put(keyOf('v', receiver, order), toBytes(record))
  tx.put(keyOf('W', receiver), toBytes(chosen))
  if (isAnswered) tx.put(keyOf('V', receiver, order), NOTHING)
}

/** Returns the first record of a receiver, the newest with an answer of the oracle, and the newest, oldest first. */
export async function readReceiver(
  source: Source,
  { network, address, until = MAX_TIME }: { network: string; address: string; until: Time | undefined },
): Promise<ReceiverRecord[]> {
  const receiver = receiverPart(network, address)
  const chosen = await read<Chosen>(source, keyOf('W', receiver))
  if (chosen === undefined) return []
  const isNow = readUint(chosen.newest, 0) <= until
  const keys = isNow ? keysOf(receiver, chosen) : await keysUntil(source, receiver, until)
  const values = await source.getMany([...new Set(keys)].sort())
  return values.flatMap((value) => (value ? [fromBytes<ReceiverRecord>(value)] : []))
}

function keysOf(receiver: string, { first: oldest, answered, newest }: Chosen): Key[] {
  const orders = answered === null ? [oldest, newest] : [oldest, answered, newest]
  return orders.map((order) => keyOf('v', receiver, order))
}

async function keysUntil(source: Source, receiver: string, until: Time): Promise<Key[]> {
  const records = between(keyOf('v', receiver), 0, until)
  const found = await Promise.all([
    first(source, records),
    first(source, between(keyOf('V', receiver), 0, until), true),
    first(source, records, true),
  ])
  return found.flatMap((row) => (row ? [`v${row[0].slice(1)}`] : []))
}

/** Counts the receivers that have a record. */
export async function countReceivers(source: Source): Promise<number> {
  return Number((await source.get(RECEIVERS)) ?? 0)
}
