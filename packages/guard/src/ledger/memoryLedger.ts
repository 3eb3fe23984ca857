import type { Ledger, StoredPayment } from './ledger.ts'
import { applyUpdate, createLedgerReader, createLedgerState, reserveEntry } from './ledgerState.ts'
import { endsRetries } from './pending.ts'
import { clearHost } from './sellers.ts'

/**
 * Creates a ledger in memory. Budgets reset when the process restarts.
 * @example
 * const guard = createGuard({ ledger: createMemoryLedger() })
 */
export function createMemoryLedger(): Ledger {
  const state = createLedgerState()
  const payments = new Map<string, StoredPayment>()
  let count = 0
  let stopped = false
  return {
    ...createLedgerReader(() => state),
    async refresh() {},
    note() {},
    async reserve(request, limits) {
      if (stopped) return { ok: false, code: 'STOPPED' }
      count += 1
      return reserveEntry(state, `p${count}`, request, limits)
    },
    async update(id, change) {
      if ('payment' in change && change.payment !== undefined) payments.set(id, change.payment)
      if (endsRetries(change)) payments.delete(id)
      applyUpdate(state, id, change)
    },
    readPayment: async (id) => payments.get(id) ?? null,
    clear: async (what, host) => clearHost(state.sellers, what, host),
    async setStopped(isStopped) {
      stopped = isStopped
    },
    isStopped: async () => stopped,
  }
}
