import { release } from './applyUpdate.ts'
import { isOpen } from './exposure.ts'
import type { LedgerFact } from './journal.ts'
import type { LedgerUpdate, Payment } from './ledger.ts'
import type { LedgerState } from './ledgerState.ts'
import { createMemory, type Memory, memoryOf, pinKey } from './sellers.ts'
import type { LedgerSnapshot } from './snapshot.ts'

type OldState = 'reserved' | 'sent' | 'committed' | 'unknown' | 'released'
type OldEntry = Omit<Payment, 'state' | 'agent' | 'until' | 'known'> & {
  state: OldState
  transaction: string | null
  ceilingAtomic?: string
}
type Release = { state: 'released' | 'unused' | 'unsigned' }
type OldUpdate =
  | Release
  | { state: 'unknown' }
  | { state: 'sent'; authorization: Payment['authorization'] }
  | {
      state: 'committed'
      transaction: string | null
      amountAtomic?: string
      receipt?: Payment['receipt']
    }
  | { delivered: boolean; isMild?: boolean }
  | { answered: true }
type OldSnapshot = Pick<LedgerSnapshot, 'total' | 'byAsset' | 'byTask' | 'pending'> & {
  recent: OldEntry[]
  older: OldEntry[]
  pins: [string, string][]
  strikes: [string, number[]][]
  faulty: ([string, number] | string)[]
  deliveries: [string, number][]
  prices: [string, bigint[]][]
}
/** A fact of a ledger of format 1, which had no agents and no proofs. */
export type OldFact =
  | Exclude<LedgerFact, { type: 'update' | 'snapshot' }>
  | { type: 'update'; id: string; change: OldUpdate }
  | { type: 'snapshot'; after: string; snapshot: OldSnapshot }

/** A release by its caller's word, from the named states. One that is `isUnsigned` takes back pin and price too. */
export type OldRelease = {
  type: 'release'
  id: string
  from: readonly Payment['state'][]
  isUnsigned: boolean
}

/** Applies a release of format 1. */
export function applyOldRelease(state: LedgerState, { id, from, isUnsigned }: OldRelease): void {
  const entry = state.entries.get(id)
  if (entry === undefined || !from.includes(entry.state)) return
  if (entry.state === 'settled' && !isOpen(entry)) return
  if (isUnsigned) forgetPayment(memoryOf(state.sellers, entry), entry)
  release(state, entry)
}

/** Takes back pin and price of a payment that was not signed in the end. */
function forgetPayment({ pins, prices }: Memory, { formerReceiver, ...entry }: Payment): void {
  if (formerReceiver === undefined) return
  for (const place of [entry.endpoint, entry.host]) {
    const kept = prices.get(place) ?? []
    const own = kept.lastIndexOf(entry.usdMicros)
    prices.set(place, own < 0 ? kept : kept.toSpliced(own, 1))
  }
  if (formerReceiver !== null) pins.set(pinKey(entry), formerReceiver)
  else if (pins.get(pinKey(entry)) === entry.payTo) pins.delete(pinKey(entry))
}

/** Reads a fact of format 1, so that ledgers of earlier versions go on. */
export function readOldFact(fact: OldFact): LedgerFact | OldRelease {
  if (fact.type === 'reserve') return { ...fact, request: { ...fact.request, agent: null } }
  if (fact.type === 'update') return readUpdate(fact)
  if (fact.type !== 'snapshot') return fact
  return { ...fact, number: null, snapshot: readSnapshot(fact.snapshot) }
}

// Amounts were proven by a final block, which was not recorded.
const NOT_RECORDED = { at: 0, block: '0', timestamp: 0 }

const RELEASED_FROM = {
  released: ['reserved'],
  unsigned: ['reserved', 'sent'],
  unused: ['sent', 'unknown', 'settled'],
} as const

function readUpdate({ change, ...fact }: Extract<OldFact, { type: 'update' }>): LedgerFact | OldRelease {
  if ('state' in change && change.state in RELEASED_FROM) {
    const state = change.state as keyof typeof RELEASED_FROM
    return { ...fact, type: 'release', from: RELEASED_FROM[state], isUnsigned: state === 'unsigned' }
  }
  return { ...fact, change: readChange(change as Exclude<OldUpdate, Release>) }
}

function readChange(change: Exclude<OldUpdate, Release>): LedgerUpdate {
  if (!('state' in change) || change.state !== 'committed') return change
  const isProven = change.amountAtomic !== undefined
  const { transaction, amountAtomic, receipt } = change
  return {
    state: 'settled',
    by: isProven ? 'chain' : 'seller',
    transaction,
    ...(isProven && { amountAtomic, proof: NOT_RECORDED }),
    ...(receipt && { receipt }),
  }
}

function readSnapshot({ recent, older, pins, strikes, faulty, ...rest }: OldSnapshot): LedgerSnapshot {
  const { deliveries, prices, ...sums } = rest
  const owner: { [Name in keyof Memory]: [string, unknown][] } = {
    pins,
    deliveries,
    paidAt: [],
    dearest: [],
    prices,
    strikes: strikes.map(([endpoint, at]) => [endpoint, at.map((one) => ({ id: '', at: one, for: 'two' }))]),
    // The first ledgers named endpoints alone.
    faulty: faulty.map((one) => (typeof one === 'string' ? [one, 1] : one)),
  }
  return {
    ...sums,
    past: [],
    pastUntil: 0,
    recent: recent.map(readEntry),
    older: older.map(readEntry),
    sellers: [['', { ...createMemory(), ...owner }]] as unknown as LedgerSnapshot['sellers'],
  }
}

function readEntry({ state, transaction, ceilingAtomic, ...entry }: OldEntry): Payment {
  const { amountAtomic, usdMicros, authorization } = entry
  const isProven = ceilingAtomic !== undefined
  const known = { by: isProven ? 'chain' : 'seller', amountAtomic, usdMicros, transaction } as const
  // The most in dollars is no longer known where the chain has proven less, and counts no more.
  const most = isProven && { amountAtomic: ceilingAtomic }
  return {
    ...entry,
    ...most,
    agent: null,
    until: authorization && Number(authorization.validBefore),
    known: state === 'committed' ? known : null,
    state: state === 'committed' ? 'settled' : state,
    ...(authorization !== null && { formerReceiver: entry.formerReceiver ?? null }),
  }
}
