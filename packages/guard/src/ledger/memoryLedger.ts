import type { Ledger, StoredPayment } from './ledger.ts'
import {
  applyUpdate,
  clearHost,
  createLedgerState,
  pendingOf,
  pinsOf,
  reserveEntry,
  strikesOf,
  summaryOf,
  totalsOf,
  viewState,
} from './ledgerState.ts'
import { endsRetries, findPending } from './pending.ts'

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
    async refresh() {},
    note() {},
    pending: () => pendingOf(state),
    view: (query, limits, now) => viewState(state, query, limits, now),
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
    find: (id) => state.entries.get(id),
    findPending: (query, now) => findPending(state.pending, query, now),
    readPayment: async (id) => payments.get(id) ?? null,
    strikes: () => strikesOf(state),
    pins: () => pinsOf(state),
    clear: async (what, host) => clearHost(state, what, host),
    totals: () => totalsOf(state),
    summary: (now) => summaryOf(state, now),
    async setStopped(isStopped) {
      stopped = isStopped
    },
    isStopped: async () => stopped,
  }
}
