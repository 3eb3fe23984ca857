import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { GuardEvent } from '../events.ts'
import { createChainCheck, readRecord } from './ledgerRecord.ts'

/** What a walk over a ledger file has found. */
export type LedgerCheck = {
  /** Whether every line follows from the ones before it. */
  ok: boolean
  lines: number
  /** Lines that a crash has torn, or that were changed; where one was changed, `ok` is false. */
  unreadable: number
  /** How many processes have written. */
  writers: number
  /** Number of the first line that does not follow, from 1; null where all do. */
  brokenAt: number | null
  events: GuardEvent[]
}

/**
 * Reads a ledger file and checks its chain. Like with every chain of hashes, lines cut off at the very end leave no
 * trace.
 */
export async function verifyLedger(path: string): Promise<LedgerCheck> {
  const chain = createChainCheck()
  const writers = new Set<string>()
  const check: LedgerCheck = { ok: true, lines: 0, unreadable: 0, writers: 0, brokenAt: null, events: [] }
  let number = 0
  for await (const line of createInterface({
    input: createReadStream(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    number += 1
    if (line === '') continue
    const record = readRecord(line)
    if (record === undefined) {
      check.unreadable += 1
      continue
    }
    check.lines += 1
    writers.add(record.writer)
    if (!chain.accept(record)) {
      check.ok = false
      check.brokenAt ??= number
    }
    if (record.type === 'event') check.events.push(record.event)
  }
  return { ...check, writers: writers.size }
}
