import { sameAddress } from '@touchstone402/shared'
import type { BudgetLimits, LedgerView } from './budget.ts'
import type { LedgerEntry, LedgerUpdate, ReserveRequest, ViewQuery } from './ledger.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const MAX_PINS = 10_000

/** What every ledger holds in memory: recent entries one by one, older ones as sums. */
export type LedgerState = {
  entries: Map<string, LedgerEntry>
  /** Sums of what was dropped from `entries`. */
  older: { usdMicros: bigint; byAsset: Map<string, bigint> }
  /** The first receiver paid, by endpoint, network and asset. */
  pins: Map<string, string>
  /** Times of paid calls without delivery since the last delivery, by endpoint. */
  strikes: Map<string, number[]>
}

/** A ledger that has seen nothing. */
export function createLedgerState(): LedgerState {
  return {
    entries: new Map(),
    older: { usdMicros: 0n, byAsset: new Map() },
    pins: new Map(),
    strikes: new Map(),
  }
}

/** What the state says about one prospective payment. */
export function viewState(
  state: LedgerState,
  query: ViewQuery,
  limits: BudgetLimits,
  now: number,
): LedgerView {
  const view: LedgerView = {
    spentTotal: state.older.usdMicros,
    spentDay: 0n,
    spentHostDay: 0n,
    hostPaymentsLastMinute: 0,
    identicalPaymentsLastMinute: 0,
    strikes: (state.strikes.get(query.endpoint) ?? []).filter((at) => at > now - limits.strikeMs).length,
    pinnedReceiver: state.pins.get(pinKey(query)) ?? null,
  }
  for (const entry of state.entries.values()) {
    if (entry.state === 'released') continue
    view.spentTotal += entry.usdMicros
    // A clock that was set back must not make spending disappear: what lies ahead of `now` counts too.
    if (entry.at <= now - DAY_MS) continue
    view.spentDay += entry.usdMicros
    if (entry.host !== query.host) continue
    view.spentHostDay += entry.usdMicros
    if (entry.at <= now - MINUTE_MS) continue
    view.hostPaymentsLastMinute += 1
    if (entry.call === query.call) view.identicalPaymentsLastMinute += 1
  }
  return view
}

/** Puts a reservation into the state and drops what is older than any window. */
export function addEntry(state: LedgerState, id: string, request: ReserveRequest): LedgerEntry {
  const entry: LedgerEntry = {
    ...request,
    id,
    state: 'reserved',
    transaction: null,
    delivered: null,
    authorization: null,
  }
  state.entries.set(id, entry)
  for (const old of state.entries.values()) {
    // Entries are in the order of their reservation, so the first young one ends the walk.
    if (old.at > request.at - DAY_MS) break
    state.entries.delete(old.id)
    if (old.state === 'released') continue
    state.older.usdMicros += old.usdMicros
    addTo(state.older.byAsset, old)
  }
  return entry
}

/** Applies an update; false where it changes nothing. */
export function applyUpdate(state: LedgerState, id: string, change: LedgerUpdate): boolean {
  const entry = state.entries.get(id)
  if (entry === undefined) return false
  if ('delivered' in change) {
    entry.delivered = change.delivered
    if (change.delivered) state.strikes.delete(entry.endpoint)
    else
      state.strikes.set(entry.endpoint, [...(state.strikes.get(entry.endpoint) ?? []).slice(-99), entry.at])
    return true
  }
  if (change.state === 'unused') {
    if (entry.state !== 'sent' && entry.state !== 'unknown') return false
    entry.state = 'released'
    return true
  }
  if (!ALLOWED[entry.state].includes(change.state)) return false
  entry.state = change.state
  if (change.state === 'committed') entry.transaction = change.transaction
  if (change.state === 'sent') {
    entry.authorization = change.authorization
    pin(state, entry)
  }
  return true
}

// Nothing leads back from `sent`: an authorization that may have left can be used until the chain says otherwise.
const ALLOWED: Record<LedgerEntry['state'], readonly LedgerEntry['state'][]> = {
  reserved: ['sent', 'released', 'unknown', 'committed'],
  sent: ['committed', 'unknown'],
  unknown: ['committed'],
  committed: [],
  released: [],
}

/** Payments that have left and whose fate is not known. */
export function pendingOf(state: LedgerState): LedgerEntry[] {
  return [...state.entries.values()].filter((entry) => entry.state === 'sent' || entry.state === 'unknown')
}

/** Sums per network and asset, and over all. */
export function totalsOf(state: LedgerState) {
  const byAsset = new Map(state.older.byAsset)
  let usdMicros = state.older.usdMicros
  for (const entry of state.entries.values()) {
    if (entry.state === 'released') continue
    usdMicros += entry.usdMicros
    addTo(byAsset, entry)
  }
  return {
    usdMicros,
    byAsset: [...byAsset].map(([key, amountAtomic]) => {
      const [network = '', asset = ''] = key.split(' ')
      return { network, asset, amountAtomic }
    }),
  }
}

function addTo(sums: Map<string, bigint>, entry: LedgerEntry): void {
  const key = `${entry.network} ${entry.asset.toLowerCase()}`
  sums.set(key, (sums.get(key) ?? 0n) + BigInt(entry.amountAtomic))
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

const pinKey = ({ endpoint, network, asset }: ViewQuery): string =>
  `${endpoint} ${network} ${asset.toLowerCase()}`
