import type { Ledger } from './ledger.ts'
import {
  applyUpdate,
  createLedgerState,
  pendingOf,
  reserveEntry,
  totalsOf,
  viewState,
} from './ledgerState.ts'

/**
 * Creates a ledger in memory. Budgets reset when the process restarts.
 * @example
 * const guard = createGuard({ ledger: createMemoryLedger() })
 */
export function createMemoryLedger(): Ledger {
  const state = createLedgerState()
  let count = 0
  return {
    async refresh() {},
    note() {},
    pending: () => pendingOf(state),
    view: (query, limits, now) => viewState(state, query, limits, now),
    async reserve(request, limits) {
      count += 1
      return reserveEntry(state, `p${count}`, request, limits)
    },
    async update(id, change) {
      applyUpdate(state, id, change)
    },
    totals: () => totalsOf(state),
  }
}
