import { isUnsent } from './exposure.ts'
import type { Payment } from './ledger.ts'
import { createLedgerState, isUnresolved, type LedgerState } from './ledgerState.ts'
import { addPending } from './pending.ts'
import type { Memory } from './sellers.ts'
import { countDay } from './spending.ts'

/** All that a ledger must know of the past: sums, the last 24 hours, and every payment that is not resolved. */
export type LedgerSnapshot = {
  total: bigint
  byAsset: [string, bigint][]
  byTask: [string, bigint][]
  /** Entries of the last 24 hours, ordered by time. */
  recent: Payment[]
  /** Older entries that are not resolved. */
  older: Payment[]
  /** Sums of past hours, see `Spending`. */
  past: [number, [string, bigint][]][]
  pastUntil: number
  /** Ids of the entries that bar an equal call. */
  pending: string[]
  /** By agent. */
  sellers: [string, MemorySnapshot][]
}

type Copied = { [Name in keyof Memory]: Memory[Name] extends Map<infer K, infer V> ? [K, V][] : never }
/** Snapshots of format 1 and 2 lack the fields that came later. */
type MemorySnapshot = Omit<Copied, Later> & Partial<Pick<Copied, Later>>
type Later = 'paidAt' | 'dearest'

/** Copies a state, without old payments that were resolved since they left the day. */
export function takeSnapshot(state: LedgerState): LedgerSnapshot {
  const { entries, spending, sellers, pending } = state
  const { total, byAsset, byTask, recent, past, pastUntil } = spending
  const isRecent = new Set(recent)
  return {
    total,
    byAsset: [...byAsset],
    byTask: [...byTask],
    recent: recent.map((entry) => ({ ...entry })),
    older: [...entries.values()]
      .filter((entry) => !isRecent.has(entry) && isUnresolved(state, entry))
      .map((entry) => ({ ...entry })),
    past: [...past].map(([day, sums]) => [day, [...sums]]),
    pastUntil,
    pending: [...pending.values()].flatMap((found) => [...found].map(({ id }) => id)),
    sellers: [...sellers].map(([agent, { pins, strikes, faulty, deliveries, prices, paidAt, dearest }]) => [
      agent,
      {
        pins: [...pins],
        strikes: [...strikes],
        faulty: [...faulty],
        deliveries: [...deliveries],
        prices: [...prices],
        paidAt: [...paidAt],
        dearest: [...dearest],
      },
    ]),
  }
}

/** Returns what a snapshot of format 2 holds. */
export function withoutLater(snapshot: LedgerSnapshot): LedgerSnapshot {
  const sellers = snapshot.sellers.map<[string, MemorySnapshot]>(
    ([agent, { paidAt: _, dearest: __, ...memory }]) => [agent, memory],
  )
  return { ...snapshot, sellers }
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
    if (isUnsent(entry)) state.unsent.add(entry)
  }
  for (const entry of snapshot.recent) if (entry.state !== 'released') countDay(spending.byDay, entry, 1n)
  for (const id of snapshot.pending) {
    const entry = entries.get(id)
    if (entry !== undefined) addPending(state.pending, entry)
  }
  for (const [agent, { paidAt = [], dearest = [], ...memory }] of snapshot.sellers) {
    state.sellers.set(agent, {
      pins: new Map(memory.pins),
      strikes: new Map(memory.strikes),
      faulty: new Map(memory.faulty),
      deliveries: new Map(memory.deliveries),
      prices: new Map(memory.prices),
      paidAt: new Map(paidAt),
      dearest: new Map(dearest),
    })
  }
  return state
}
