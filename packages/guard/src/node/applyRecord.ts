import type { ReserveResult } from '../ledger/ledger.ts'
import { applyUpdate, type LedgerState, reserveEntry } from '../ledger/ledgerState.ts'
import { clearHost } from '../ledger/sellers.ts'
import type { LedgerFact } from './ledgerRecord.ts'

/** Applies a fact to the state of a ledger. Returns the result of a reservation. */
export function applyRecord(state: LedgerState, fact: LedgerFact): ReserveResult | undefined {
  if (fact.type === 'update') applyUpdate(state, fact.id, fact.change)
  if (fact.type === 'clear') clearHost(state.sellers, fact.what, fact.host)
  if (fact.type === 'reserve') return reserveEntry(state, fact.id, fact.request, fact.limits)
  return undefined
}
