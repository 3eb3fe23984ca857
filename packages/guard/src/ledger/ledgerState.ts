import { type BudgetLimits, checkBudget, type LedgerView } from '../decide/budget.ts'
import type { Ledger, LedgerEntry, LedgerUpdate, ReserveRequest, ReserveResult, ViewQuery } from './ledger.ts'
import { addPending, dropPending, findPending, type PendingIndex } from './pending.ts'
import {
  createSellers,
  forgetPayment,
  pinsOf,
  recordDelivery,
  recordPayment,
  type Sellers,
  strikesOf,
  viewSeller,
} from './sellers.ts'
import {
  addSpending,
  correctSpending,
  countDay,
  createSpending,
  dropOld,
  type Spending,
  summarizeSpending,
  sumSpending,
  takeBack,
} from './spending.ts'

/** In-memory state of a ledger: recent entries, and sums of older ones. */
export type LedgerState = {
  entries: Map<string, LedgerEntry>
  spending: Spending
  sellers: Sellers
  pending: PendingIndex
}

/** Creates an empty state. */
export function createLedgerState(): LedgerState {
  return { entries: new Map(), spending: createSpending(), sellers: createSellers(), pending: new Map() }
}

/** Returns the facts that concern one prospective payment. */
export function viewState(
  { spending, sellers }: LedgerState,
  query: ViewQuery,
  limits: BudgetLimits,
  now: number,
): LedgerView {
  return { ...sumSpending(spending, query, now), ...viewSeller(sellers, query, limits, now) }
}

/** Adds a reservation if it is within the limits. */
export function reserveEntry(
  state: LedgerState,
  id: string,
  request: ReserveRequest,
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

/** Adds a reservation and drops entries older than a day. */
export function addEntry(state: LedgerState, id: string, request: ReserveRequest): LedgerEntry {
  const entry: LedgerEntry = {
    ...request,
    id,
    state: 'reserved',
    transaction: null,
    delivered: null,
    authorization: null,
    answered: false,
  }
  for (const old of dropOld(state.spending, request.at)) {
    // An unresolved payment bars its call however old it is.
    if (!state.pending.get(old.call)?.has(old)) state.entries.delete(old.id)
  }
  state.entries.set(id, entry)
  addSpending(state.spending, entry)
  addPending(state.pending, entry)
  return entry
}

/** Applies an update. Returns false if it changes nothing. */
export function applyUpdate(state: LedgerState, id: string, change: LedgerUpdate): boolean {
  const entry = state.entries.get(id)
  if (entry === undefined) return false
  if ('answered' in change) {
    dropPending(state.pending, entry)
    entry.answered = true
    return true
  }
  if ('delivered' in change) {
    entry.delivered = change.delivered
    recordDelivery(state.sellers, entry, change.isMild === true)
    return true
  }
  if (change.state === 'unused') return isOpen(entry) && release(state, entry)
  if (change.state === 'unsigned') {
    if (entry.state !== 'reserved' && entry.state !== 'sent') return false
    forgetPayment(state.sellers, entry)
    return release(state, entry)
  }
  if (change.state === 'committed' && change.amountAtomic !== undefined) {
    return measure(state, entry, change.amountAtomic, change.transaction)
  }
  // Two integrations may report an authorization, and it may turn out to be that of another equal payment.
  const isSame = change.state === 'sent' && entry.state === 'sent'
  if (!isSame && !ALLOWED[entry.state].includes(change.state)) return false
  if (change.state === 'released') return release(state, entry)
  entry.state = change.state
  if (change.state === 'committed') {
    entry.transaction = change.transaction
    if (change.receipt !== undefined) entry.receipt = change.receipt
  }
  if (change.state === 'sent') {
    entry.authorization = change.authorization
    const payer = change.authorization?.from
    if (entry.once !== undefined && payer !== undefined) entry.once = { ...entry.once, payer }
    recordPayment(state.sellers, entry)
  }
  return true
}

function release(state: LedgerState, entry: LedgerEntry): true {
  dropPending(state.pending, entry)
  entry.state = 'released'
  takeBack(state.spending, entry)
  return true
}

// `sent` is never released here: an authorization that may have left stays usable until it expires on chain.
const ALLOWED: Record<LedgerEntry['state'], readonly LedgerEntry['state'][]> = {
  reserved: ['sent', 'released', 'unknown', 'committed'],
  sent: ['committed', 'unknown'],
  unknown: ['committed'],
  committed: [],
  released: [],
}

/**
 * Whether the cost of a payment is still unknown. A seller's report of a settlement does not prove what an `upto` payment
 * has cost, or that it has cost anything.
 */
export function isOpen({ state, scheme, ceilingAtomic }: LedgerEntry): boolean {
  if (state === 'committed') return scheme === 'upto' && ceilingAtomic === undefined
  return state === 'sent' || state === 'unknown'
}

/** Lowers an `upto` payment to the collected amount. */
function measure(state: LedgerState, entry: LedgerEntry, amountAtomic: string, transaction: string | null) {
  const { amountAtomic: ceilingAtomic, usdMicros } = entry
  const [amount, ceiling] = [BigInt(amountAtomic), BigInt(ceilingAtomic)]
  if (entry.scheme !== 'upto' || !isOpen(entry) || amount < 0n || amount > ceiling) return false
  // Rounded up, so that dust is never free.
  const lower = { amountAtomic, usdMicros: (usdMicros * amount + ceiling - 1n) / ceiling }
  correctSpending(state.spending, entry, lower)
  Object.assign(entry, { state: 'committed', transaction, ceilingAtomic })
  return true
}

/** The questions of a ledger that its state in memory answers. */
export type LedgerReader = Pick<
  Ledger,
  'view' | 'find' | 'knows' | 'findPending' | 'strikes' | 'pins' | 'pending' | 'totals' | 'summary'
>

/** Creates the reader of a state. `current` returns the state that holds now. */
export function createLedgerReader(current: () => LedgerState): LedgerReader {
  return {
    view: (query, limits, now) => viewState(current(), query, limits, now),
    find: (id) => current().entries.get(id),
    knows: (hash) => [...current().entries.values()].some(({ transaction }) => transaction === hash),
    findPending: (query, now) => findPending(current().pending, query, now),
    strikes: () => strikesOf(current().sellers),
    pins: () => pinsOf(current().sellers),
    pending: () => [...current().entries.values()].filter(isOpen),
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

/** All that a ledger must know of the past: sums, the last 24 hours, and every payment that is not resolved. */
export type LedgerSnapshot = {
  total: bigint
  byAsset: [string, bigint][]
  byTask: [string, bigint][]
  /** Entries of the last 24 hours, ordered by time. */
  recent: LedgerEntry[]
  /** Older entries that are not resolved. */
  older: LedgerEntry[]
  /** Ids of the entries that bar an equal call. */
  pending: string[]
  pins: [string, string][]
  strikes: [string, number[]][]
  faulty: ([string, number] | string)[]
  deliveries: [string, number][]
  prices: [string, bigint[]][]
}

/** Copies a state. */
export function takeSnapshot({ entries, spending, sellers, pending }: LedgerState): LedgerSnapshot {
  const { total, byAsset, byTask, recent } = spending
  const isRecent = new Set(recent)
  return {
    total,
    byAsset: [...byAsset],
    byTask: [...byTask],
    recent: recent.map((entry) => ({ ...entry })),
    older: [...entries.values()].filter((entry) => !isRecent.has(entry)).map((entry) => ({ ...entry })),
    pending: [...pending.values()].flatMap((found) => [...found].map(({ id }) => id)),
    pins: [...sellers.pins],
    strikes: [...sellers.strikes],
    faulty: [...sellers.faulty],
    deliveries: [...sellers.deliveries],
    prices: [...sellers.prices],
  }
}

/** Creates the state that a snapshot was taken of. The state takes over the entries of the snapshot. */
export function restoreState(snapshot: LedgerSnapshot): LedgerState {
  const state = createLedgerState()
  const { spending, entries } = state
  spending.total = snapshot.total
  spending.byAsset = new Map(snapshot.byAsset)
  spending.byTask = new Map(snapshot.byTask)
  spending.recent = snapshot.recent
  for (const entry of [...snapshot.older, ...snapshot.recent]) entries.set(entry.id, entry)
  for (const entry of snapshot.recent) if (entry.state !== 'released') countDay(spending, entry, 1n)
  for (const id of snapshot.pending) {
    const entry = entries.get(id)
    if (entry !== undefined) addPending(state.pending, entry)
  }
  state.sellers = {
    pins: new Map(snapshot.pins),
    strikes: new Map(snapshot.strikes),
    // Ledgers of earlier versions name endpoints alone.
    faulty: new Map(snapshot.faulty.map((one) => (typeof one === 'string' ? [one, 1] : one))),
    deliveries: new Map(snapshot.deliveries),
    prices: new Map(snapshot.prices),
  }
  return state
}
