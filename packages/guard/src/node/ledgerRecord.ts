import { createHash } from 'node:crypto'
import type { BudgetLimits } from '../decide/budget.ts'
import type { GuardEvent } from '../events.ts'
import type { LedgerUpdate, ReserveRequest } from '../ledger/ledger.ts'

/** What one line of a ledger file says. */
export type LedgerFact =
  | { type: 'reserve'; id: string; request: ReserveRequest; limits: BudgetLimits }
  | { type: 'update'; id: string; change: LedgerUpdate }
  | { type: 'event'; event: GuardEvent }

/**
 * A line of a ledger file: a fact, and where it stands in the chain.
 *
 * Several processes append to one file without a lock, so the chain is one of hashes a writer, tied to one another:
 * `prev` is the writer's own line before, `seen` the last line of anybody that it knew of.
 */
export type LedgerRecord = LedgerFact & {
  writer: string
  prev: string | null
  seen: string | null
  /** SHA-256 of the line without this field, in hexadecimal. */
  hash: string
}

/** Writes a line, complete with its hash and without a line break. */
export function writeRecord(record: Omit<LedgerRecord, 'hash'>): { line: string; hash: string } {
  const body = JSON.stringify(record, (_, value) =>
    typeof value === 'bigint' ? { $bigint: value.toString() } : value,
  )
  const hash = hashOf(body)
  return { line: `${body.slice(0, -1)},"hash":"${hash}"}`, hash }
}

/** Reads a line; undefined where it is torn or was changed. */
export function readRecord(line: string): LedgerRecord | undefined {
  const match = /^(.*),"hash":"([0-9a-f]{64})"\}$/s.exec(line)
  const [, body, hash] = match ?? []
  if (body === undefined || hash === undefined || hashOf(`${body}}`) !== hash) return undefined
  // What a hash was made of was written by this code, so its shape is known.
  return JSON.parse(line, (_, value) => (typeof value?.$bigint === 'string' ? BigInt(value.$bigint) : value))
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Checks line after line that nothing is missing between them. */
export type ChainCheck = {
  /** False where a line that this one follows is not there. */
  accept(record: LedgerRecord): boolean
}

/** A check that has seen nothing. */
export function createChainCheck(): ChainCheck {
  const seen = new Set<string>()
  const last = new Map<string, string>()
  return {
    accept({ writer, prev, seen: known, hash }) {
      const isNext = (last.get(writer) ?? null) === prev && (known === null || seen.has(known))
      seen.add(hash)
      last.set(writer, hash)
      return isNext
    },
  }
}
