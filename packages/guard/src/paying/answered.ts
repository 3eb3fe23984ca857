import type { CallQuery, LedgerEntry, StoredPayment } from '../ledger/ledger.ts'
import { isSameCall } from '../ledger/pending.ts'
import { createLru } from '../lru.ts'

/**
 * Remembers recently answered payments. An equal call that began before the answer is one call with the answered one,
 * so it is paid once.
 */
export type AnsweredPayments = {
  /** Marks the begin of a call, for `find`. */
  begin(): number
  /** Keeps a signed payment in case a call overlaps its answer. */
  keep(id: string, payment: StoredPayment): void
  /** Records that a payment was answered. */
  add(entry: LedgerEntry | undefined): void
  has(id: string): boolean
  /** Finds a payment that answered an equal call after `begun`. */
  find(query: CallQuery, begun: number): { entry: LedgerEntry; payment: StoredPayment | null } | undefined
}

// Payments in memory; one has about 1 kB.
const MAX_KEPT = 256

/** Creates an empty memory of answered payments. */
export function createAnsweredPayments(): AnsweredPayments {
  let clock = 0
  const payments = createLru<StoredPayment>(MAX_KEPT)
  const answered = createLru<{ entry: LedgerEntry; at: number }>(MAX_KEPT)
  return {
    begin: () => clock,
    keep: payments.set,
    add(entry) {
      if (entry !== undefined) answered.set(entry.id, { entry, at: ++clock })
    },
    has: (id) => answered.get(id) !== undefined,
    find({ call, once }, begun) {
      if (once === undefined || begun === clock) return undefined
      for (const { entry, at } of answered.values()) {
        if (at <= begun || entry.call !== call || entry.once === undefined) continue
        if (isSameCall(entry.once, once)) return { entry, payment: payments.get(entry.id) ?? null }
      }
      return undefined
    },
  }
}
