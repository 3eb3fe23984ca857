import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { GuardEvent } from '../events.ts'
import { createChainCheck, readRecord } from './ledgerRecord.ts'

/**
 * Result of {@link verifyLedger}.
 * @example
 * const summary = ({ ok, lines }: LedgerCheck) => (ok ? `${lines} lines` : 'broken')
 */
export type LedgerCheck = {
  /** Whether no line is missing or changed. */
  ok: boolean
  lines: number
  /** Torn lines, which a crash leaves, and changed lines, which also make `ok` false. */
  unreadable: number
  /** Number of processes that have written. */
  writers: number
  /** Number of the first line after a gap, from 1; null without gaps. */
  brokenAt: number | null
  events: GuardEvent[]
}

/**
 * Reads a ledger file and checks its hash chain. A truncated end is not detectable.
 * @example
 * const { ok, brokenAt } = await verifyLedger('spending.jsonl')
 */
export async function verifyLedger(path: string): Promise<LedgerCheck> {
  const isNext = createChainCheck()
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
    if (!isNext(record)) {
      check.ok = false
      check.brokenAt ??= number
    }
    if (record.type === 'event') check.events.push(record.event)
  }
  return { ...check, writers: writers.size }
}
