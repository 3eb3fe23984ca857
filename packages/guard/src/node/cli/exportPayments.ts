import { formatUsdc } from '@touchstone402/shared'
import type { GuardEvent } from '../../events.ts'
import type { LedgerEntry } from '../../ledger/ledger.ts'
import { isOpen } from '../../ledger/ledgerState.ts'
import type { LedgerRecord } from '../ledgerRecord.ts'
import { type CommandLine, EXIT, type Io, print, UsageError } from './io.ts'
import { type LedgerListener, readIntactLedger } from './records.ts'

/** `ledger export`: lists the payments of a ledger for accounting. */
export async function exportPayments({ values, positionals }: CommandLine, io: Io): Promise<number> {
  if (values.csv && values.json) throw new UsageError('Give --csv or --json, not both.')
  const from = readTime('from', values.from) ?? Number.NEGATIVE_INFINITY
  const to = readTime('to', values.to) ?? Number.POSITIVE_INFINITY
  if (from >= to) throw new UsageError('--from must be before --to.')
  const { payments, hear } = collectPayments()
  await readIntactLedger(positionals, hear)
  const rows = [...payments.values()]
    .filter(({ entry: { at } }) => at >= from && at < to)
    .toSorted((one, other) => one.entry.at - other.entry.at)
    .map(toRow)
  if (values.json) return print(io, values, { payments: rows }, [])
  const lines = [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name]))]
  // Printing adds the last LF. RFC 4180 ends each line with CR LF.
  io.out(`${lines.map((cells) => cells.map(writeCell).join(',')).join('\r\n')}\r`)
  return EXIT.ok
}

type Payment = { entry: LedgerEntry; verdict: string | null }

/** Collects each payment once, over all files: entries stay those of the state, which later lines change. */
function collectPayments(): { payments: Map<string, Payment>; hear: LedgerListener } {
  const payments = new Map<string, Payment>()
  /** Reservations whose decision has not come yet, oldest first. */
  const undecided = new Map<string, Payment[]>()
  const keep = (entry: LedgerEntry): Payment => {
    const payment = payments.get(entry.id) ?? { entry, verdict: null }
    payments.set(entry.id, payment)
    return Object.assign(payment, { entry })
  }
  return {
    payments,
    hear(record, state, result) {
      if (record.type === 'snapshot') {
        for (const entry of [...record.snapshot.older, ...record.snapshot.recent]) keep(entry)
      }
      const entry = result?.ok ? state.entries.get(result.id) : undefined
      if (entry !== undefined) {
        const key = keyOf(record, entry)
        const waiting = undecided.get(key) ?? []
        waiting.push(keep(entry))
        undecided.set(key, waiting)
      }
      const decided = record.type === 'event' ? readDecision(record, record.event) : null
      if (decided === null) return
      // A reservation that was released at once has no decision in the ledger.
      const waiting = (undecided.get(decided.key) ?? []).filter(({ entry }) => entry.state !== 'released')
      const payment = waiting.shift()
      if (waiting.length > 0) undecided.set(decided.key, waiting)
      else undecided.delete(decided.key)
      if (payment !== undefined) payment.verdict = decided.verdict
    },
  }
}

function readDecision(record: LedgerRecord, { type, endpoint, payment, verdict }: GuardEvent) {
  if (type !== 'allowed' || payment === null || endpoint === null) return null
  return { key: keyOf(record, { endpoint, ...payment }), verdict: verdict?.verdict ?? null }
}

type Decided = 'endpoint' | 'network' | 'asset' | 'payTo' | 'amountAtomic'

// Events do not name the reservation. A process notes its decision right after the reservation, on the same terms.
function keyOf(
  { writer }: LedgerRecord,
  { endpoint, network, asset, payTo, amountAtomic }: Pick<LedgerEntry, Decided>,
): string {
  return JSON.stringify([writer, endpoint, network, asset, payTo, amountAtomic])
}

const COLUMNS = [
  ...(['time', 'host', 'task', 'amountUsd', 'network', 'asset'] as const),
  ...(['receiver', 'transaction', 'verdict', 'state', 'id'] as const),
]

function toRow({ entry, verdict }: Payment): Record<(typeof COLUMNS)[number], string | null> {
  const { at, host, usdMicros, network, asset, payTo: receiver, transaction, id } = entry
  // Ledgers of earlier versions name no task.
  const { task = null } = entry
  const amountUsd = formatUsdc(usdMicros)
  const time = new Date(at).toISOString()
  const terms = { amountUsd, network, asset, receiver }
  return { time, host, task, ...terms, transaction, verdict, state: stateOf(entry), id }
}

function stateOf(entry: LedgerEntry): string {
  const { state } = entry
  if (state === 'committed') return isOpen(entry) ? 'unresolved' : 'settled'
  return state === 'unknown' ? 'unresolved' : state
}

// What spreadsheets read as the begin of a formula. Source: OWASP, CSV injection.
const FORMULA = /^[=+\-@\t\r\n]/

/** Writes a cell. Source: RFC 4180 section 2. */
function writeCell(value: string | null): string {
  const text = value === null ? '' : value.replace(FORMULA, "'$&")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
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
