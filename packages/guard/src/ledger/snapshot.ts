import type { LedgerEntry } from './ledger.ts'
import { createLedgerState, type LedgerState } from './ledgerState.ts'
import { addPending } from './pending.ts'
import { countDay } from './spending.ts'

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
