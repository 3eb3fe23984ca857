import { sameAddress } from '@touchstone402/shared'
import { type BudgetLimits, checkBudget, type LedgerView } from '../decide/budget.ts'
import type {
  LedgerEntry,
  LedgerUpdate,
  Pin,
  ReserveRequest,
  ReserveResult,
  SpendingSummary,
  Strikes,
  ViewQuery,
} from './ledger.ts'
import { addPending, dropPending, endsRetries, findPending, type PendingIndex } from './pending.ts'
import {
  addSpending,
  assetKey,
  correctSpending,
  createSpending,
  dropOld,
  type Spending,
  summarizeSpending,
  sumSpending,
  takeBack,
} from './spending.ts'

const MAX_PINS = 10_000

/** In-memory state of a ledger: recent entries, and sums of older ones. */
export type LedgerState = {
  entries: Map<string, LedgerEntry>
  spending: Spending
  /** First receiver paid, by endpoint, network and asset. */
  pins: Map<string, string>
  /** Times of paid calls without delivery since the last delivery, by endpoint. Unix time in ms. */
  strikes: Map<string, number[]>
  /** Endpoints whose last paid call had a mild fault. */
  faulty: Set<string>
  pending: PendingIndex
}

/** Creates an empty state. */
export function createLedgerState(): LedgerState {
  return {
    entries: new Map(),
    spending: createSpending(),
    pins: new Map(),
    strikes: new Map(),
    faulty: new Set(),
    pending: new Map(),
  }
}

/** Returns the facts that concern one prospective payment. */
export function viewState(
  { spending, strikes, pins }: LedgerState,
  query: ViewQuery,
  limits: BudgetLimits,
  now: number,
): LedgerView {
  return {
    ...sumSpending(spending, query, now),
    strikes: (strikes.get(query.endpoint) ?? []).filter((at) => at > now - limits.strikeMs).length,
    pinnedReceiver: pins.get(pinKey(query)) ?? null,
  }
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
  if (endsRetries(change)) dropPending(state.pending, entry)
  if ('answered' in change) {
    entry.answered = true
    return true
  }
  if ('delivered' in change) {
    entry.delivered = change.delivered
    strike(state, entry, change.isMild === true)
    return true
  }
  if (change.state === 'unused') {
    if (!isOpen(entry)) return false
    entry.state = 'released'
    takeBack(state.spending, entry)
    return true
  }
  if (change.state === 'committed' && change.amountAtomic !== undefined) {
    return measure(state, entry, change.amountAtomic, change.transaction)
  }
  // Two seats may report an authorization, and it may turn out to be that of another equal payment.
  const isSame = change.state === 'sent' && entry.state === 'sent'
  if (!isSame && !ALLOWED[entry.state].includes(change.state)) return false
  entry.state = change.state
  if (change.state === 'released') takeBack(state.spending, entry)
  if (change.state === 'committed') {
    entry.transaction = change.transaction
    if (change.receipt !== undefined) entry.receipt = change.receipt
  }
  if (change.state === 'sent') {
    entry.authorization = change.authorization
    const payer = change.authorization?.from
    if (entry.once !== undefined && payer !== undefined) entry.once = { ...entry.once, payer }
    pin(state, entry)
  }
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

/** Returns sent payments that are not resolved. */
export function pendingOf(state: LedgerState): LedgerEntry[] {
  return [...state.entries.values()].filter(isOpen)
}

// The seller's word for a settlement does not say what an `upto` payment has cost, or that it has cost anything.
function isOpen({ state, scheme, ceilingAtomic }: LedgerEntry): boolean {
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

/** Returns the total and the sums per network and asset. */
export function totalsOf({ spending }: LedgerState) {
  return {
    usdMicros: spending.total,
    byAsset: [...spending.byAsset].map(([key, amountAtomic]) => {
      const [network = '', asset = ''] = key.split(' ')
      return { network, asset, amountAtomic }
    }),
  }
}

/** Returns spending at `now`. */
export function summaryOf({ spending, entries }: LedgerState, now: number): SpendingSummary {
  return summarizeSpending(spending, entries.values(), now)
}

/** Returns the endpoints with strikes. */
export function strikesOf({ strikes }: LedgerState): Strikes[] {
  return [...strikes].map(([endpoint, at]) => ({ endpoint, at: [...at] }))
}

/** Returns the pinned receivers. */
export function pinsOf({ pins }: LedgerState): Pin[] {
  return [...pins].map(([key, payTo]) => {
    const [endpoint = '', network = '', asset = ''] = key.split(' ')
    return { endpoint, network, asset, payTo }
  })
}

/** Forgets the strikes or the pins of a host. */
export function clearHost(state: LedgerState, what: 'strikes' | 'pins', host: string): void {
  for (const key of state[what].keys()) {
    if (new URL(key.split(' ')[0] ?? '').host === host) state[what].delete(key)
  }
  if (what === 'strikes')
    for (const key of state.faulty) if (new URL(key).host === host) state.faulty.delete(key)
}

function strike({ strikes, faulty }: LedgerState, entry: LedgerEntry, isMild: boolean): void {
  const { endpoint, at } = entry
  if (entry.delivered) {
    strikes.delete(endpoint)
    faulty.delete(endpoint)
  } else if (isMild && !faulty.has(endpoint)) faulty.add(endpoint)
  else strikes.set(endpoint, [...(strikes.get(endpoint) ?? []).slice(-99), at])
}

function pin(state: LedgerState, entry: LedgerEntry): void {
  const key = pinKey(entry)
  const pinned = state.pins.get(key)
  if (pinned !== undefined && sameAddress(pinned, entry.payTo)) return
  state.pins.set(key, entry.payTo)
  if (state.pins.size > MAX_PINS) {
    const oldest = state.pins.keys().next().value
    if (oldest !== undefined) state.pins.delete(oldest)
  }
}

const pinKey = (query: Pick<ViewQuery, 'endpoint' | 'network' | 'asset'>): string =>
  `${query.endpoint} ${assetKey(query)}`
