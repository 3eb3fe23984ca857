import { checkBudget } from '../decide/budget.ts'
import type { Ledger } from './ledger.ts'
import { addEntry, applyUpdate, createLedgerState, pendingOf, totalsOf, viewState } from './ledgerState.ts'

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
      const code = checkBudget(limits, viewState(state, request, limits, request.at), request.usdMicros)
      if (code !== null) return { ok: false, code }
      count += 1
      const id = `p${count}`
      addEntry(state, id, request)
      return { ok: true, id }
    },
    async update(id, change) {
      applyUpdate(state, id, change)
    },
    totals: () => totalsOf(state),
  }
}
