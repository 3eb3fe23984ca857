import type { Time } from '../../../domain/facts/facts.ts'
import type { DueList } from '../../../ports/store.ts'
import type { Transaction } from './createWriter.ts'
import { between, type Key, keyOf, openText, readText, readUint, text, time, within } from './keys.ts'
import { type Committed, collect, first, NOTHING } from './source.ts'

const LISTS: Readonly<Record<DueList, string>> = { looks: 'l', documents: 'd' }

const timeKey = (list: DueList, key: string) => keyOf('q', LISTS[list], text(key))
const listPrefix = (list: DueList) => keyOf('Q', LISTS[list])
const takenPrefix = (list: DueList) => keyOf('D', LISTS[list])
const takenKey = (list: DueList, key: string) => takenPrefix(list) + openText(key)
const entryKey = (list: DueList, at: Time, key: string) => listPrefix(list) + time(at) + openText(key)

/** Makes a key due at a time. */
export async function setDue(tx: Transaction, list: DueList, key: string, at: Time): Promise<void> {
  const known = await tx.get(timeKey(list, key))
  if (known !== undefined) tx.delete(entryKey(list, Number(known), key))
  tx.put(timeKey(list, key), Buffer.from(`${at}`))
  tx.put(entryKey(list, at, key), NOTHING)
  tx.delete(takenKey(list, key))
}

/** Makes a key due at a time, unless it is due at any time already. */
export async function setDueOnce(tx: Transaction, list: DueList, key: string, at: Time): Promise<void> {
  if ((await tx.get(timeKey(list, key))) === undefined) await setDue(tx, list, key, at)
}

/** Takes due keys, earliest first, and makes them due again at `again`. */
export async function claimDue(
  tx: Transaction,
  list: DueList,
  { now, again, limit }: { readonly now: Time; readonly again: Time; readonly limit: number },
): Promise<string[]> {
  const taken: { key: string; at: Time }[] = []
  for await (const [entry] of tx.list(between(listPrefix(list), 0, now), { limit }))
    taken.push({ key: readEntry(list, entry), at: readEntryTime(list, entry) })
  for (const { key, at } of taken) {
    await setDue(tx, list, key, again)
    tx.put(takenKey(list, key), Buffer.from(`${at}`))
  }
  return taken.map(({ key }) => key)
}

/** Makes the keys due again that a process took which no longer runs. */
export async function returnTaken(tx: Transaction): Promise<void> {
  for (const list of ['looks', 'documents'] as const) {
    const taken = await collect(tx, within(takenPrefix(list)), (at, entry) => ({ at: Number(at), entry }))
    for (const { at, entry } of taken)
      await setDue(tx, list, readText(entry.slice(takenPrefix(list).length)), at)
  }
}

/** Returns the earliest time at which something is due. */
export async function nextDue(source: Committed, list: DueList): Promise<Time | null> {
  const row = await first(source, within(listPrefix(list)))
  return row ? readEntryTime(list, row[0]) : null
}

/** Counts the keys that are due. */
export function countDue(source: Committed, list: DueList, now: Time): Promise<number> {
  return source.count(between(listPrefix(list), 0, now))
}

const readEntryTime = (list: DueList, entry: Key) => readUint(entry, listPrefix(list).length)
const readEntry = (list: DueList, entry: Key) =>
  readText(entry.slice(listPrefix(list).length + time(0).length))
