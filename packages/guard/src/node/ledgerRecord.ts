import { createHash } from 'node:crypto'
import { applyOldRelease, type OldFact, type OldRelease, readOldFact } from '../ledger/format1.ts'
import { applyFact, type LedgerFact } from '../ledger/journal.ts'
import type { ReserveResult } from '../ledger/ledger.ts'
import type { LedgerState } from '../ledger/ledgerState.ts'
import { restoreState, takeSnapshot, withoutLater } from '../ledger/snapshot.ts'

/**
 * One line of a ledger file: a fact and its position in the hash chain.
 *
 * Several processes append without a lock, so each writer has its own chain: `prev` is the writer's previous line,
 * `seen` a hash of all lines, of any writer, that it had read.
 */
export type LedgerRecord = (LedgerFact | OldRelease) & {
  /** Format of the line. Lines of format 1 name none, and a reader of format 1 refuses those that do. */
  format: 1 | 2 | typeof FORMAT
  writer: string
  prev: string | null
  seen: string | null
  /** Hexadecimal SHA-256 of the line without this field. */
  hash: string
}

/** Since 3, a reservation may name hosts that share a limit, and a snapshot holds when and what was paid at most. */
const FORMAT = 3

type Chained = LedgerFact & Pick<LedgerRecord, 'writer' | 'prev' | 'seen'>

/** Applies a record to the state of a ledger. Returns the result of a reservation. */
export function applyRecord(state: LedgerState, record: LedgerRecord): ReserveResult | undefined {
  return record.type === 'release' ? void applyOldRelease(state, record) : applyFact(state, record)
}

/** Serialises a record with its hash, without a line break. */
export function writeRecord(record: Chained): { line: string; hash: string } {
  const body = writeJson({ format: FORMAT, ...record })
  const hash = hashOf(body)
  return { line: `${body.slice(0, -1)},"hash":"${hash}"}`, hash }
}

const writeJson = (value: unknown) =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? { $bigint: one.toString() } : one))

/**
 * Serialises a record that holds the state at the end of a file, whose seal has the hash `after`.
 * @param number that of the file which it begins; null in a database
 */
export function writeSnapshot(
  after: string,
  number: number | null,
  state: LedgerState,
): { line: string; hash: string } {
  const fact = { type: 'snapshot', after, number, snapshot: takeSnapshot(state) } as const
  return writeRecord({ ...fact, writer: 'snapshot', prev: null, seen: null })
}

/** Whether a snapshot holds a state. One of an older format is compared in what it had. */
export function holdsState(record: Extract<LedgerRecord, { type: 'snapshot' }>, state: LedgerState): boolean {
  const [given, expected] = [takeSnapshot(restoreState(record.snapshot)), takeSnapshot(state)]
  if (record.format !== 1) {
    const known = (snapshot: typeof given) =>
      writeJson(record.format === FORMAT ? snapshot : withoutLater(snapshot))
    return known(given) === known(expected)
  }
  // Sums, pending calls and fewer payments.
  const named = new Set([...given.older, ...given.recent].map(({ id }) => id))
  const partOf = ({ total, byAsset, byTask, recent, older, pending }: typeof given) => {
    const payments = [...older, ...recent]
      .filter(({ id }) => named.has(id))
      .map(({ id, state }) => [id, state])
    return writeJson({ total, byAsset, byTask, payments, pending })
  }
  return partOf(given) === partOf(expected)
}

const BEGINS = ['{"type":"', '{"format":']

/**
 * Parses a line; undefined if it is torn or changed.
 * @throws Error with the reason if it is no line of a ledger, or an amount is not a whole number from 0
 */
export function readRecord(line: string): LedgerRecord | undefined {
  const match = /^(.*),"hash":"([0-9a-f]{64})"\}$/s.exec(line)
  const [, body, hash] = match ?? []
  // A torn line is the begin of one, or bytes that a crash left unwritten.
  const isLine = BEGINS.some((begin) => line.startsWith(begin.slice(0, line.length)))
  if (!isLine && line[0] !== '\0') throw new Error('not a ledger')
  if (body === undefined || hash === undefined || hashOf(`${body}}`) !== hash) return undefined
  const { format = 1, ...record } = parseAmounts(line)
  if (format === FORMAT || format === 2) return { format, ...record }
  if (format !== 1) throw new Error(`it is of format ${format}, which needs a newer version of the guard`)
  return { ...record, ...readOldFact(record as OldFact), format } as LedgerRecord
}

function parseAmounts(line: string): LedgerRecord {
  // Anyone who can write the file can compute a hash, and a negative amount would raise a budget.
  return JSON.parse(line, (key, value) => {
    const amount = value?.$bigint ?? (key.endsWith('Atomic') || key === 'usdMicros' ? value : undefined)
    if (amount === undefined) return value
    if (typeof amount !== 'string' || !/^[0-9]{1,78}$/.test(amount)) {
      throw new Error('an amount is not a whole number from 0')
    }
    return value === amount ? value : BigInt(amount)
  })
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Creates a check for gaps in a sequence of lines. */
export function createChainCheck() {
  const known = new Set<string>()
  const last = new Map<string, string>()
  let head: string | null = null
  return {
    /** Returns the hash of all lines so far; null before the first. */
    head: () => head,
    /** Adds the next line. Returns false if one before it is missing. */
    add({ writer, prev, seen, hash }: LedgerRecord): boolean {
      if ((last.get(writer) ?? null) !== prev || (seen !== null && !known.has(seen))) return false
      head = hashOf(`${head} ${hash}`)
      // Lines of format 1 name the line before.
      known.add(head).add(hash)
      last.set(writer, hash)
      return true
    },
  }
}
