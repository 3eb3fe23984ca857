import { formatUsdc, writeCsv } from '@touchstone402/shared'
import { isOpen } from '../../ledger/exposure.ts'
import type { LedgerEntry } from '../../ledger/ledger.ts'
import { costOf } from '../../ledger/spending.ts'
import { EXIT, type Io, print, UsageError } from './io.ts'
import { type LedgerListener, readIntactLedger } from './records.ts'

type Given = {
  readonly ledger: string
  readonly csv: boolean
  readonly json: boolean
  readonly from: string | undefined
  readonly to: string | undefined
}

/** `ledger export`: lists the payments of a ledger for accounting. */
export async function exportPayments(values: Given, io: Io): Promise<number> {
  if (values.csv && values.json) throw new UsageError('Give --csv or --json, not both.')
  const from = readTime('from', values.from) ?? Number.NEGATIVE_INFINITY
  const to = readTime('to', values.to) ?? Number.POSITIVE_INFINITY
  if (from >= to) throw new UsageError('--from must be before --to.')
  const { payments, hear } = collectPayments()
  await readIntactLedger(values.ledger, hear)
  const rows = [...payments.values()]
    .filter(({ entry: { at } }) => at >= from && at < to)
    .toSorted((one, other) => one.entry.at - other.entry.at)
    .map(toRow)
  if (values.json) return print(io, values, { payments: rows }, [])
  const lines = [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name]))]
  // Printing adds the last LF.
  io.out(writeCsv(lines).slice(0, -1))
  return EXIT.ok
}

type Payment = { entry: LedgerEntry; verdict: string | null }

/** Collects each payment once, over all files: entries stay those of the state, which later lines change. */
function collectPayments(): { payments: Map<string, Payment>; hear: LedgerListener } {
  const payments = new Map<string, Payment>()
  const keep = (entry: LedgerEntry | undefined) =>
    entry && payments.set(entry.id, { verdict: null, ...payments.get(entry.id), entry })
  return {
    payments,
    hear(record, state, result) {
      if (record.type === 'snapshot') [...record.snapshot.older, ...record.snapshot.recent].forEach(keep)
      if (result?.ok) keep(state.entries.get(result.id))
      if (record.type !== 'event' || record.event.type !== 'allowed') return
      const payment = payments.get(`${record.event.paymentId}`)
      if (payment !== undefined) payment.verdict = record.event.verdict?.verdict ?? null
    },
  }
}

const COLUMNS = [
  ...(['time', 'host', 'task', 'amountUsd', 'network', 'asset'] as const),
  ...(['receiver', 'transaction', 'verdict', 'state', 'id'] as const),
]

function toRow({ entry, verdict }: Payment): Record<(typeof COLUMNS)[number], string | null> {
  const { at, host, network, asset, payTo: receiver, known, id } = entry
  // Ledgers of earlier versions name no task.
  const { task = null } = entry
  const amountUsd = formatUsdc(costOf(entry).usdMicros)
  const transaction = known?.transaction ?? null
  const time = new Date(at).toISOString()
  const terms = { amountUsd, network, asset, receiver }
  return { time, host, task, ...terms, transaction, verdict, state: stateOf(entry), id }
}

function stateOf(entry: LedgerEntry): string {
  const { state } = entry
  if (state === 'settled') return isOpen(entry) ? 'unresolved' : 'settled'
  if (state === 'handedOut') return 'handed out'
  return state === 'unknown' ? 'unresolved' : state
}

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,3})?Z)?$/

/** Parses a day or a time in UTC; undefined if none is given. @throws UsageError */
function readTime(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const time = TIME.test(given) ? Date.parse(given) : Number.NaN
  // A day that its month does not have becomes one of the next month.
  if (Number.isFinite(time) && new Date(time).toISOString().startsWith(given.slice(0, 10))) return time
  throw new UsageError(`--${name}: expected 2026-11-01 or 2026-11-01T12:00:00Z, got ${given}`)
}
