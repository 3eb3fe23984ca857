import { formatUsdc, writeCsv } from '@touchstone402/shared'
import { isOpen } from '../../ledger/exposure.ts'
import type { Payment } from '../../ledger/ledger.ts'
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
    .filter(({ payment: { at } }) => at >= from && at < to)
    .toSorted((one, other) => one.payment.at - other.payment.at)
    .map(toRow)
  if (values.json) return print(io, values, { payments: rows }, [])
  const lines = [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name]))]
  // Printing adds the last LF.
  io.out(writeCsv(lines).slice(0, -1))
  return EXIT.ok
}

type Judged = { payment: Payment; verdict: string | null }

/** Collects each payment once, over all files: they stay those of the state, which later lines change. */
function collectPayments(): { payments: Map<string, Judged>; hear: LedgerListener } {
  const payments = new Map<string, Judged>()
  const keep = (payment: Payment | undefined) =>
    payment && payments.set(payment.id, { verdict: null, ...payments.get(payment.id), payment })
  return {
    payments,
    hear(record, state, result) {
      if (record.type === 'snapshot') [...record.snapshot.older, ...record.snapshot.recent].forEach(keep)
      if (result?.ok) keep(state.entries.get(result.id))
      if (record.type !== 'event' || record.event.type !== 'allowed') return
      const judged = payments.get(`${record.event.paymentId}`)
      if (judged !== undefined) judged.verdict = record.event.verdict?.verdict ?? null
    },
  }
}

const COLUMNS = [
  ...(['time', 'host', 'task', 'amountUsd', 'network', 'asset'] as const),
  ...(['receiver', 'transaction', 'verdict', 'state', 'id'] as const),
]

function toRow({ payment, verdict }: Judged): Record<(typeof COLUMNS)[number], string | null> {
  const { at, host, network, asset, payTo: receiver, known, id } = payment
  // Ledgers of earlier versions name no task.
  const { task = null } = payment
  const amountUsd = formatUsdc(costOf(payment).usdMicros)
  const transaction = known?.transaction ?? null
  const time = new Date(at).toISOString()
  const terms = { amountUsd, network, asset, receiver }
  return { time, host, task, ...terms, transaction, verdict, state: stateOf(payment), id }
}

function stateOf(payment: Payment): string {
  const { state } = payment
  if (state === 'settled') return isOpen(payment) ? 'unresolved' : 'settled'
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
