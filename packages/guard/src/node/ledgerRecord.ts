import { createHash } from 'node:crypto'
import type { LedgerFact } from '../ledger/journal.ts'
import { type LedgerState, takeSnapshot } from '../ledger/ledgerState.ts'

/**
 * One line of a ledger file: a fact and its position in the hash chain.
 *
 * Several processes append without a lock, so each writer has its own chain: `prev` is the writer's previous line,
 * `seen` the last line of any writer that it had read.
 */
export type LedgerRecord = LedgerFact & {
  writer: string
  prev: string | null
  seen: string | null
  /** Hexadecimal SHA-256 of the line without this field. */
  hash: string
}

/** Serialises a record with its hash, without a line break. */
export function writeRecord(record: Omit<LedgerRecord, 'hash'>): { line: string; hash: string } {
  const body = JSON.stringify(record, (_, value) =>
    typeof value === 'bigint' ? { $bigint: value.toString() } : value,
  )
  const hash = hashOf(body)
  return { line: `${body.slice(0, -1)},"hash":"${hash}"}`, hash }
}

/** Serialises a record that holds the state at the end of a file, whose seal has the hash `after`. */
export function writeSnapshot(after: string, state: LedgerState): { line: string; hash: string } {
  const fact = { type: 'snapshot', after, snapshot: takeSnapshot(state) } as const
  return writeRecord({ ...fact, writer: 'snapshot', prev: null, seen: null })
}

const BEGIN = '{"type":"'

/**
 * Parses a line; undefined if it is torn or changed.
 * @throws Error with the reason if it is no line of a ledger, or an amount is not a whole number from 0
 */
export function readRecord(line: string): LedgerRecord | undefined {
  const match = /^(.*),"hash":"([0-9a-f]{64})"\}$/s.exec(line)
  const [, body, hash] = match ?? []
  // A torn line is the begin of one, or bytes that a crash left unwritten.
  if (!line.startsWith(BEGIN.slice(0, line.length)) && line[0] !== '\0') throw new Error('not a ledger')
  if (body === undefined || hash === undefined || hashOf(`${body}}`) !== hash) return undefined
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

/** Creates a check for gaps in a sequence of lines. It returns false if a preceding line is missing. */
export function createChainCheck(): (record: LedgerRecord) => boolean {
  const seen = new Set<string>()
  const last = new Map<string, string>()
  return ({ writer, prev, seen: known, hash }) => {
    const isNext = (last.get(writer) ?? null) === prev && (known === null || seen.has(known))
    seen.add(hash)
    last.set(writer, hash)
    return isNext
  }
}
