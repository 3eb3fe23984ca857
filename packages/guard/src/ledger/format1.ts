import type { LedgerFact } from './journal.ts'
import type { LedgerEntry, LedgerUpdate, OldRelease } from './ledger.ts'
import { createMemory, type Memory } from './sellers.ts'
import type { LedgerSnapshot } from './snapshot.ts'

type OldState = 'reserved' | 'sent' | 'committed' | 'unknown' | 'released'
type OldEntry = Omit<LedgerEntry, 'state' | 'agent' | 'until' | 'known'> & {
  state: OldState
  transaction: string | null
  ceilingAtomic?: string
}
type OldUpdate =
  | { state: 'unknown' }
  | { state: 'released' | 'unused' | 'unsigned' }
  | { state: 'sent'; authorization: LedgerEntry['authorization'] }
  | {
      state: 'committed'
      transaction: string | null
      amountAtomic?: string
      receipt?: LedgerEntry['receipt']
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

/** Reads a fact of format 1, so that ledgers of earlier versions go on. */
export function readOldFact(fact: OldFact): LedgerFact {
  if (fact.type === 'reserve') return { ...fact, request: { ...fact.request, agent: null } }
  if (fact.type === 'update') return { ...fact, change: readUpdate(fact.change) }
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

function readUpdate(change: OldUpdate): LedgerUpdate | OldRelease {
  if (!('state' in change)) return change
  if (change.state === 'committed') {
    const isProven = change.amountAtomic !== undefined
    const { transaction, amountAtomic, receipt } = change
    return {
      ...{ state: 'settled', by: isProven ? 'chain' : 'seller', transaction },
      ...(isProven && { amountAtomic, proof: NOT_RECORDED }),
      ...(receipt && { receipt }),
    }
  }
  if (change.state === 'sent') return change
  if (change.state === 'unknown') return { state: 'unknown' }
  return { state: 'released', from: RELEASED_FROM[change.state], isUnsigned: change.state === 'unsigned' }
}

function readSnapshot({ recent, older, pins, strikes, faulty, ...rest }: OldSnapshot): LedgerSnapshot {
  const { deliveries, prices, ...sums } = rest
  const owner: { [Name in keyof Memory]: [string, unknown][] } = {
    ...{ pins, deliveries, prices },
    strikes: strikes.map(([endpoint, at]) => [endpoint, at.map((one) => ({ id: '', at: one, for: 'two' }))]),
    // The first ledgers named endpoints alone.
    faulty: faulty.map((one) => (typeof one === 'string' ? [one, 1] : one)),
  }
  return {
    ...sums,
    ...{ past: [], pastUntil: 0, recent: recent.map(readEntry), older: older.map(readEntry) },
    sellers: [['', { ...createMemory(), ...owner }]] as unknown as LedgerSnapshot['sellers'],
  }
}

function readEntry({ state, transaction, ceilingAtomic, ...entry }: OldEntry): LedgerEntry {
  const { amountAtomic, usdMicros, authorization } = entry
  const isProven = ceilingAtomic !== undefined
  const known = { by: isProven ? 'chain' : 'seller', amountAtomic, usdMicros, transaction } as const
  // The most in dollars is no longer known where the chain has proven less, and counts no more.
  const most = isProven && { amountAtomic: ceilingAtomic }
  return {
    ...{ ...entry, ...most, agent: null },
    until: authorization && Number(authorization.validBefore),
    known: state === 'committed' ? known : null,
    state: state === 'committed' ? 'settled' : state,
    ...(authorization !== null && { formerReceiver: entry.formerReceiver ?? null }),
  }
}
