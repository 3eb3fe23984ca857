import { applyFact, createJournalLedger } from './journal.ts'
import type { Ledger, StoredPayment } from './ledger.ts'
import { createLedgerState } from './ledgerState.ts'

/**
 * Creates a ledger in memory. Budgets reset when the process restarts.
 * @example
 * const guard = createGuard({ ledger: createMemoryLedger() })
 */
export function createMemoryLedger(): Ledger {
  const state = createLedgerState()
  const payments = new Map<string, StoredPayment>()
  let stopped = false
  return createJournalLedger({
    idPrefix: 'p',
    state: () => state,
    async append(write) {
      if (write === null) return
      const { fact, payment, done } = write
      if (payment?.store) payments.set(payment.id, payment.store)
      else if (payment) payments.delete(payment.id)
      const result = applyFact(state, fact, stopped)
      if (result !== undefined) done?.(result)
    },
    readPayment: async (id) => payments.get(id) ?? null,
    async setStopped(isStopped) {
      stopped = isStopped
    },
    isStopped: async () => stopped,
  })
}
