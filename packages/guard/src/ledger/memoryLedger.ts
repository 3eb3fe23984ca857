import type { Ledger } from './ledger.ts'
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

/**
 * Creates a ledger in memory. Budgets reset when the process restarts.
 * @example
 * const guard = createGuard({ ledger: createMemoryLedger() })
 */
export function createMemoryLedger(): Ledger {
  const state = createLedgerState()
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
      applyUpdate(state, id, change)
    },
    totals: () => totalsOf(state),
    summary: (now) => summaryOf(state, now),
    strikes: () => strikesOf(state),
    pins: () => pinsOf(state),
    async clear(kind, host) {
      clearHost(state, kind, host)
    },
    async setStopped(isStopped) {
      stopped = isStopped
    },
    isStopped: async () => stopped,
  }
}
