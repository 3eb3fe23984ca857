import type { CallQuery, OnceKey, Payment } from './ledger.ts'

/** Lifetime of an unused approval in ms. */
export const APPROVAL_LIFETIME_MS = 120_000

/** Marks a body that has no reproducible hash. It equals every body. */
export const ANY_BODY = '*'

/** Index of unresolved payments, by call. */
export type PendingIndex = Map<string, Set<Payment>>

/** Adds an entry to the index. */
export function addPending(index: PendingIndex, entry: Payment): void {
  if (entry.once === undefined) return
  const entries = index.get(entry.call) ?? new Set()
  index.set(entry.call, entries.add(entry))
}

/** Removes an entry from the index. */
export function dropPending(index: PendingIndex, entry: Payment): void {
  const entries = index.get(entry.call)
  entries?.delete(entry)
  if (entries?.size === 0) index.delete(entry.call)
}

/** Finds an unresolved payment of an equal call. `now` is Unix time in ms. */
export function findPending(
  index: PendingIndex,
  { call, once, agent }: CallQuery,
  now: number,
): Payment | undefined {
  if (once === undefined) return undefined
  for (const entry of index.get(call) ?? []) {
    // Nothing was sent for an approval that expired unused.
    const isVoid = entry.state === 'reserved' && entry.at + APPROVAL_LIFETIME_MS <= now
    // Equal calls of two agents are two calls: neither may have what the other paid for.
    if (isVoid || entry.agent !== agent || entry.once === undefined) continue
    if (isSameCall(entry.once, once)) return entry
  }
  return undefined
}

/** Whether two calls to one URL are equal. */
export function isSameCall(a: OnceKey, b: OnceKey): boolean {
  return (
    a.callKey === b.callKey &&
    (a.body === b.body || a.body === ANY_BODY || b.body === ANY_BODY) &&
    (a.payer === null || b.payer === null || a.payer.toLowerCase() === b.payer.toLowerCase())
  )
}
