import type { GuardEvent } from '../events.ts'
import type { ReserveResult } from '../ledger/ledger.ts'
import type { LedgerState } from '../ledger/ledgerState.ts'
import { listSegments } from './ledgerPlace.ts'
import { holdsState, type LedgerRecord } from './ledgerRecord.ts'
import { type LedgerSegment, openSegment } from './ledgerSegment.ts'

/**
 * Result of {@link verifyLedger}.
 * @example
 * const summary = ({ ok, lines }: LedgerCheck) => (ok ? `${lines} lines` : 'broken')
 */
export type LedgerCheck = {
  /** Whether no line is missing or changed. */
  ok: boolean
  /** Number of files: the ledger seals one every 20,000 lines and continues in the next. */
  files: number
  lines: number
  /** Torn lines, which a crash leaves, and changed lines, which also make `ok` false. */
  unreadable: number
  /** Number of processes that have written. */
  writers: number
  /** File of the first line after a gap, or that is refused; null without. */
  brokenIn: string | null
  /** Number of that line, from 1; null without gaps. */
  brokenAt: number | null
  /** Each gap in one sentence; null without gaps. */
  reason: string | null
  events: GuardEvent[]
}

/**
 * Reads the files of a ledger up to the first fault, checks their hash chains, and that each begins with the state at
 * the end of the one before. A truncated end is not detectable, and neither are missing files before the first.
 * @throws Error if there is no file; ConfigurationError if a file is a link, is not regular, or is open to others
 * @example
 * const { ok, brokenAt } = await verifyLedger('spending.jsonl')
 */
export async function verifyLedger(path: string): Promise<LedgerCheck> {
  return readLedger(path, () => {})
}

/**
 * Checks a ledger as {@link verifyLedger} does.
 * @param hear receives each valid line with the state before it; and each reservation again, with its result and
 * the state after it
 */
export async function readLedger(
  path: string,
  hear: (record: LedgerRecord, state: LedgerState, result?: ReserveResult) => void,
): Promise<LedgerCheck> {
  const numbers = await listSegments(path)
  if (numbers.length === 0) throw new Error('The ledger has no file.')
  const writers = new Set<string>()
  const check: LedgerCheck = {
    ok: true,
    files: numbers.length,
    lines: 0,
    unreadable: 0,
    writers: 0,
    brokenIn: null,
    brokenAt: null,
    reason: null,
    events: [],
  }
  let before: LedgerSegment | null = null
  for (const number of numbers) {
    const sealed: LedgerSegment | null = before?.number === number - 1 ? before : null
    const segment: LedgerSegment = await openSegment(path, number, null, (record, result) => {
      if (record.type === 'snapshot') {
        if (sealed !== null && (record.after !== sealed.seal() || !holdsState(record, sealed.state())))
          throw new Error('not the state at the end before')
      } else writers.add(record.writer)
      if (record.type === 'event' && record.count === undefined) check.events.push(record.event)
      hear(record, segment.state(), result)
    })
    await segment
      .read()
      .catch((error: unknown) => {
        const fault = segment.fault()
        if (fault === null) throw error
        const { line: brokenAt, reason } = fault
        Object.assign(check, { ok: false, brokenIn: segment.name, brokenAt, reason })
      })
      .finally(segment.close)
    check.lines += segment.lines()
    check.unreadable += segment.torn()
    if (!check.ok) break
    before = segment
  }
  return { ...check, writers: writers.size }
}
