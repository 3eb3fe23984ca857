import { sameAddress } from '@touchstone402/shared'
import { type BudgetLimits, checkBudget, type LedgerView } from '../decide/budget.ts'
import {
  type ExpiryProof,
  GRACE_MS,
  type Ledger,
  type LedgerEntry,
  type LedgerUpdate,
  NEWEST_BLOCK_MS,
  OLDEST_BLOCK_MS,
  type OldRelease,
  type ReserveRequest,
  type ReserveResult,
  type SentAuthorization,
  type ViewQuery,
} from './ledger.ts'
import { addPending, dropPending, findPending, INTENT_LIFETIME_MS, type PendingIndex } from './pending.ts'
import {
  type Memory,
  pinsOf,
  proveStrike,
  recordDelivery,
  recordPayment,
  type Sellers,
  strikesOf,
  viewSeller,
} from './sellers.ts'
import {
  addSpending,
  countDay,
  createSpending,
  dropOld,
  recordCost,
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
  /** Payments that are reserved or handed out. */
  unsent: Set<LedgerEntry>
}

/** Creates an empty state. */
export function createLedgerState(): LedgerState {
  const indexes = { sellers: new Map(), pending: new Map(), unsent: new Set<LedgerEntry>() }
  return { entries: new Map(), spending: createSpending(), ...indexes }
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
    until: null,
    known: null,
    delivered: null,
    authorization: null,
    answered: false,
  }
  for (const old of dropOld(state.spending, request.at)) {
    // An unresolved payment bars its call however old it is.
    const isUnresolved = (isOpen(old) && old.delivered !== true) || state.unsent.has(old)
    if (!isUnresolved && !state.pending.get(old.call)?.has(old)) state.entries.delete(old.id)
  }
  state.entries.set(id, entry)
  addSpending(state.spending, entry)
  addPending(state.pending, entry)
  state.unsent.add(entry)
  return entry
}

/**
 * Applies an update. Returns false if it changes nothing. What frees an amount is decided here and by no caller: only a
 * payment that nobody can collect any more is released.
 */
export function applyUpdate(state: LedgerState, id: string, change: LedgerUpdate | OldRelease): boolean {
  const entry = state.entries.get(id)
  if (entry === undefined) return false
  if ('answered' in change) {
    dropPending(state.pending, entry)
    entry.answered = true
    return true
  }
  if ('delivered' in change) {
    entry.delivered = change.delivered
    recordDelivery(state.sellers, entry, change.isMild === true, change.isOwn === true)
    return true
  }
  switch (change.state) {
    case 'handedOut':
      return /^(reserved|handedOut)$/.test(entry.state) && leave(state, entry, change)
    case 'sent':
      // Two integrations may report one payment.
      return /^(reserved|handedOut|sent)$/.test(entry.state) && leave(state, entry, change)
    case 'unknown':
      return /^(handedOut|sent)$/.test(entry.state) && move(state, entry, 'unknown')
    case 'settled':
      return settle(state, entry, change)
    case 'unsigned':
      return entry.state === 'reserved' && release(state, entry)
    case 'expired':
      return isLapsed(entry, change.at) && release(state, entry)
    case 'unused':
      return isOpen(entry) && provesEnd(change.proof, entry) && release(state, entry)
    case 'released':
      return (
        change.from.includes(entry.state) &&
        (entry.state !== 'settled' || isOpen(entry)) &&
        release(state, entry)
      )
  }
}

/** Whether no retry of a payment's call can come, so that the kept payment must be erased. */
export function hasEnded({ entries }: LedgerState, id: string): boolean {
  const entry = entries.get(id)
  return entry === undefined || entry.answered || entry.state === 'released'
}

type Leaving = Extract<LedgerUpdate, { state: 'handedOut' | 'sent' }>

/**
 * Records the authorization of a payment that may leave. It is recorded once: a payment has no other, and its end does not
 * move. A signer cannot tell equal payments apart, so one may carry the authorization of the other; then they exchange.
 */
function leave(state: LedgerState, entry: LedgerEntry, { state: next, authorization }: Leaving): boolean {
  if (authorization !== null && !isSame(entry.authorization, authorization)) {
    const holder = findHolder(state, entry, authorization)
    if (holder === undefined && entry.authorization !== null) return false
    if (holder !== undefined) {
      if (entry.authorization === null) move(state, holder, 'reserved')
      authorize(holder, entry.authorization)
    }
    authorize(entry, authorization)
  }
  recordPayment(state.sellers, entry)
  return move(state, entry, next)
}

/** Returns the equal payment of the same agent for which an authorization was handed out. */
function findHolder(
  { unsent }: LedgerState,
  entry: LedgerEntry,
  authorization: SentAuthorization,
): LedgerEntry | undefined {
  return [...unsent].find(
    (one) =>
      one !== entry &&
      isSame(one.authorization, authorization) &&
      TERMS.every((key) => one[key] === entry[key]),
  )
}

const TERMS = ['agent', 'network', 'asset', 'payTo', 'scheme', 'amountAtomic'] as const

/** Whether two authorizations are one. */
export function isSame(a: SentAuthorization | null, b: SentAuthorization): boolean {
  const [first, second] = [a?.nonce, b.nonce].map((text) => text?.toLowerCase())
  return a !== null && first === second && sameAddress(a.from, b.from) && a.validBefore === b.validBefore
}

function authorize(entry: LedgerEntry, authorization: LedgerEntry['authorization']): void {
  entry.authorization = authorization
  entry.until = authorization && Number(authorization.validBefore)
  if (authorization && entry.once) entry.once = { ...entry.once, payer: authorization.from }
}

function move(state: LedgerState, entry: LedgerEntry, next: LedgerEntry['state']): true {
  entry.state = next
  if (next === 'handedOut' || next === 'reserved') state.unsent.add(entry)
  else state.unsent.delete(entry)
  return true
}

function release(state: LedgerState, entry: LedgerEntry): true {
  dropPending(state.pending, entry)
  takeBack(state.spending, entry)
  return move(state, entry, 'released')
}

/**
 * Whether nothing of a payment has left, and nothing can any more: its approval is over without a signature, or what was
 * handed out to a program of the owner, and never seen to leave, has expired.
 */
export function isLapsed({ state, at, agent, until }: LedgerEntry, now: number): boolean {
  if (state === 'reserved') return now > at + INTENT_LIFETIME_MS + GRACE_MS
  return state === 'handedOut' && agent === null && until !== null && now > until * 1000 + GRACE_MS
}

/** Whether a finalized block tells of the present by the own clock. */
function isFresh({ at, timestamp }: ExpiryProof): boolean {
  const age = at - timestamp * 1000
  return age <= OLDEST_BLOCK_MS && age >= -NEWEST_BLOCK_MS
}

/** Whether a finalized block proves that an authorization, unused at it, can no longer be used. */
function provesEnd(proof: ExpiryProof, { until }: LedgerEntry): boolean {
  return until !== null && proof.at > until * 1000 + GRACE_MS && proof.timestamp > until && isFresh(proof)
}

/**
 * Whether the cost of a payment is still unknown. A seller's report of a settlement does not prove what an `upto` payment
 * has cost, or that it has cost anything.
 */
export function isOpen({ state, scheme, known }: LedgerEntry): boolean {
  if (state === 'settled') return scheme === 'upto' && known?.by !== 'chain'
  return state === 'handedOut' || state === 'sent' || state === 'unknown'
}

type Settling = Extract<LedgerUpdate, { state: 'settled' }>

function settle(state: LedgerState, entry: LedgerEntry, change: Settling): boolean {
  const isProof = change.by === 'chain'
  if (entry.state === 'released' || (entry.state === 'settled' && !isProof)) return false
  const { transaction, amountAtomic = entry.amountAtomic, receipt } = change
  const [amount, most] = [BigInt(amountAtomic), BigInt(entry.amountAtomic)]
  if (amount > most || entry.known?.by === 'chain') return false
  if (amount < most && !(isProof && change.proof && isFresh(change.proof))) return false
  // Rounded up, so that dust is never free.
  const usdMicros = most === 0n ? 0n : (entry.usdMicros * amount + most - 1n) / most
  const known = { by: change.by, amountAtomic, usdMicros, transaction } as const
  if (receipt !== undefined) entry.receipt = receipt
  if (isProof) recordCost(state.spending, entry, known)
  else entry.known = known
  move(state, entry, 'settled')
  if (isProof) proveStrike(state.sellers, entry)
  return true
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

/** All that a ledger must know of the past: sums, the last 24 hours, and every payment that is not resolved. */
export type LedgerSnapshot = {
  total: bigint
  byAsset: [string, bigint][]
  byTask: [string, bigint][]
  /** Entries of the last 24 hours, ordered by time. */
  recent: LedgerEntry[]
  /** Older entries that are not resolved. */
  older: LedgerEntry[]
  /** Sums of past hours, see `Spending`. */
  past: [number, [string, bigint][]][]
  pastUntil: number
  /** Ids of the entries that bar an equal call. */
  pending: string[]
  /** By agent. */
  sellers: [string, MemorySnapshot][]
}

type MemorySnapshot = {
  [Name in keyof Memory]: Memory[Name] extends Map<infer K, infer V> ? [K, V][] : never
}

/** Copies a state. */
export function takeSnapshot({ entries, spending, sellers, pending }: LedgerState): LedgerSnapshot {
  const { total, byAsset, byTask, recent, past, pastUntil } = spending
  const isRecent = new Set(recent)
  return {
    total,
    byAsset: [...byAsset],
    byTask: [...byTask],
    recent: recent.map((entry) => ({ ...entry })),
    older: [...entries.values()].filter((entry) => !isRecent.has(entry)).map((entry) => ({ ...entry })),
    past: [...past].map(([day, sums]) => [day, [...sums]]),
    pastUntil,
    pending: [...pending.values()].flatMap((found) => [...found].map(({ id }) => id)),
    sellers: [...sellers].map(([agent, { pins, strikes, faulty, deliveries, prices }]) => [
      agent,
      {
        ...{ pins: [...pins], strikes: [...strikes], faulty: [...faulty] },
        ...{ deliveries: [...deliveries], prices: [...prices] },
      },
    ]),
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
  spending.past = new Map(snapshot.past.map(([day, sums]) => [day, new Map(sums)]))
  spending.pastUntil = snapshot.pastUntil
  for (const entry of [...snapshot.older, ...snapshot.recent]) {
    entries.set(entry.id, entry)
    if (entry.state === 'handedOut' || entry.state === 'reserved') state.unsent.add(entry)
  }
  for (const entry of snapshot.recent) if (entry.state !== 'released') countDay(spending.byDay, entry, 1n)
  for (const id of snapshot.pending) {
    const entry = entries.get(id)
    if (entry !== undefined) addPending(state.pending, entry)
  }
  for (const [agent, { pins, strikes, faulty, deliveries, prices }] of snapshot.sellers) {
    state.sellers.set(agent, {
      ...{ pins: new Map(pins), strikes: new Map(strikes), faulty: new Map(faulty) },
      ...{ deliveries: new Map(deliveries), prices: new Map(prices) },
    })
  }
  return state
}
