import { type BudgetLimits, checkBudget, type LedgerView } from '../decide/budget.ts'
import { isLapsed, isOpen } from './exposure.ts'
import type { Ledger, Payment, PaymentQuery, Reservation, ReserveResult } from './ledger.ts'
import { addPending, findPending, type PendingIndex } from './pending.ts'
import { pinsOf, type Sellers, strikesOf, viewSeller } from './sellers.ts'
import {
  addSpending,
  createSpending,
  dropOld,
  type Spending,
  summarizeSpending,
  sumSpending,
} from './spending.ts'

/** In-memory state of a ledger: recent entries, and sums of older ones. */
export type LedgerState = {
  entries: Map<string, Payment>
  spending: Spending
  sellers: Sellers
  pending: PendingIndex
  /** Payments that are reserved or handed out. */
  unsent: Set<Payment>
}

/** Creates an empty state. */
export function createLedgerState(): LedgerState {
  const indexes = { sellers: new Map(), pending: new Map(), unsent: new Set<Payment>() }
  return { entries: new Map(), spending: createSpending(), ...indexes }
}

/** Returns the facts that concern one prospective payment. */
export function viewState(
  { spending, sellers }: LedgerState,
  query: PaymentQuery,
  limits: BudgetLimits,
  now: number,
): LedgerView {
  return { ...sumSpending(spending, query, now, limits), ...viewSeller(sellers, query, limits, now) }
}

/** Adds a reservation if it is within the limits. */
export function reserveEntry(
  state: LedgerState,
  id: string,
  request: Reservation,
  limits: BudgetLimits,
): ReserveResult {
  // Before the budget, which the pending payment may have used up.
  if (findPending(state.pending, request, request.at) !== undefined) {
    return { ok: false, code: 'PAYMENT_PENDING' }
  }
  const code = checkBudget(limits, viewState(state, request, limits, request.at), request)
  if (code !== null) return { ok: false, code }
  addEntry(state, id, request)
  return { ok: true, id }
}

/** Whether a payment is kept however old it is: somebody may collect it, or it bars its call. */
export function isUnresolved({ unsent, pending }: LedgerState, entry: Payment): boolean {
  const isOut = isOpen(entry) && entry.delivered !== true
  return isOut || unsent.has(entry) || pending.get(entry.call)?.has(entry) === true
}

/** Adds a reservation and drops entries older than a day. */
export function addEntry(state: LedgerState, id: string, request: Reservation): Payment {
  const entry: Payment = {
    ...request,
    id,
    state: 'reserved',
    until: null,
    known: null,
    delivered: null,
    authorization: null,
    answered: false,
  }
  for (const old of dropOld(state.spending, request.at))
    if (!isUnresolved(state, old)) state.entries.delete(old.id)
  state.entries.set(id, entry)
  addSpending(state.spending, entry)
  addPending(state.pending, entry)
  state.unsent.add(entry)
  return entry
}

/** The questions of a ledger that its state in memory answers. */
export type LedgerReader = Pick<
  Ledger,
  'view' | 'find' | 'knows' | 'findPending' | 'strikes' | 'pins' | 'pending' | 'lapsed' | 'totals' | 'summary'
>

/** Creates the reader of a state. `current` returns the state that holds now. */
export function createLedgerReader(current: () => LedgerState): LedgerReader {
  return {
    view: (query, limits, now) => viewState(current(), query, limits, now),
    find: (id) => current().entries.get(id),
    knows: (hash) => [...current().entries.values()].some(({ known }) => known?.transaction === hash),
    findPending: (query, now) => findPending(current().pending, query, now),
    strikes: () => strikesOf(current().sellers),
    pins: () => pinsOf(current().sellers),
    pending: () => [...current().entries.values()].filter(isOpen),
    lapsed: (now) => [...current().unsent].filter((entry) => isLapsed(entry, now)),
    totals() {
      const { total: usdMicros, byAsset } = current().spending
      const toSum = ([key, amountAtomic]: [string, bigint]) => {
        const [network = '', asset = ''] = key.split(' ')
        return { network, asset, amountAtomic }
      }
      return { usdMicros, byAsset: [...byAsset].map(toSum) }
    },
    summary(now) {
      const { spending, entries } = current()
      return summarizeSpending(spending, entries.values(), now)
    },
  }
}
