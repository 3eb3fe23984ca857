import type { BudgetLimits } from '../decide/budget.ts'
import type { GuardEvent } from '../events.ts'
import { applyUpdate, hasEnded } from './applyUpdate.ts'
import type { Ledger, LedgerUpdate, Reservation, ReserveResult, StoredPayment } from './ledger.ts'
import { createLedgerReader, createLedgerState, type LedgerState, reserveEntry } from './ledgerState.ts'
import { clearHost } from './sellers.ts'
import type { LedgerSnapshot } from './snapshot.ts'

/** One change of a ledger. */
export type LedgerFact =
  | { type: 'reserve'; id: string; request: Reservation; limits: BudgetLimits }
  | { type: 'update'; id: string; change: LedgerUpdate }
  | { type: 'clear'; what: 'strikes' | 'pins'; host: string }
  /** `count` is the number of equal events of the day, where there were several. */
  | { type: 'event'; event: GuardEvent; count?: number }
  /** Ends the file; later lines are void, and the next file begins with the state at this line. */
  | { type: 'seal' }
  /**
   * First line of a file that continues another. `after` is the hash of its seal, and `number` that of the new file; null
   * in format 1 and in a database.
   */
  | { type: 'snapshot'; after: string; number: number | null; snapshot: LedgerSnapshot }

/** A fact to append, with the payment to store before it, or to erase after it if the call has ended. */
export type Write = {
  fact: LedgerFact
  payment?: { id: string; store: StoredPayment | null }
  /** Receives the result of a reservation, once it is durable. */
  done?: (result: ReserveResult) => void
}

/** Where a ledger keeps its facts. */
export type Journal = Pick<Ledger, 'readPayment' | 'setStopped' | 'isStopped'> & {
  /** Begin of the ids of reservations; no other user of the ledger has it. */
  idPrefix: string
  /** The state that the facts lead to. */
  state: () => LedgerState
  /** Returns the count to record with an event; null records nothing. @default every event is recorded */
  countEvent?: (event: GuardEvent) => number | null
  /** Appends a fact in order, refusing reservations while stopped; null reads what others have written. */
  append: (write: Write | null) => Promise<void>
}

/** States after which a call may have no retry. */
const ENDS: readonly string[] = ['unsigned', 'expired', 'unused']

/** Creates a ledger upon a journal. */
export function createJournalLedger({ idPrefix, state, append, ...rest }: Journal): Ledger {
  const { countEvent = () => 1, ...journal } = rest
  let count = 0
  return {
    ...createLedgerReader(state),
    ...journal,
    refresh: () => append(null),
    async reserve(request, limits) {
      count += 1
      const fact: LedgerFact = { type: 'reserve', id: `${idPrefix}${count}`, request, limits }
      let result: ReserveResult | undefined
      const done = (given: ReserveResult) => {
        result = given
      }
      await append({ fact, done })
      if (result === undefined) throw new Error('The reservation has no result.')
      return result
    },
    update(id, change) {
      if ('payment' in change) {
        // The record stays for audits; the payment is erased.
        const { payment, ...rest } = change
        const fact: LedgerFact = { type: 'update', id, change: rest satisfies LedgerUpdate }
        return append({ fact, ...(payment && { payment: { id, store: payment } }) })
      }
      const mayEnd = 'answered' in change || ('state' in change && ENDS.includes(change.state))
      return append({ fact: { type: 'update', id, change }, ...(mayEnd && { payment: { id, store: null } }) })
    },
    clear: (what, host) => append({ fact: { type: 'clear', what, host } }),
    note(event) {
      const count = countEvent(event)
      if (count === null) return
      // The next reservation reports the failure.
      append({ fact: { type: 'event', event, ...(count > 1 && { count }) } }).catch(() => {})
    },
  }
}

/** Applies a fact to the state of a ledger. Returns the result of a reservation. */
export function applyFact(
  state: LedgerState,
  fact: LedgerFact,
  isStopped = false,
): ReserveResult | undefined {
  if (fact.type === 'update') applyUpdate(state, fact.id, fact.change)
  if (fact.type === 'clear') clearHost(state.sellers, fact.what, fact.host)
  if (fact.type !== 'reserve') return undefined
  return isStopped ? { ok: false, code: 'STOPPED' } : reserveEntry(state, fact.id, fact.request, fact.limits)
}

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
      const result = applyFact(state, fact, stopped)
      if (payment?.store === null && hasEnded(state, payment.id)) payments.delete(payment.id)
      if (result !== undefined) done?.(result)
    },
    readPayment: async (id) => payments.get(id) ?? null,
    async setStopped(isStopped) {
      stopped = isStopped
    },
    isStopped: async () => stopped,
  })
}
