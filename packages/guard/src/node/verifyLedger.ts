import type { GuardEvent } from '../events.ts'
import { createLedgerState } from '../ledger/ledgerState.ts'
import { restoreState, takeSnapshot } from '../ledger/snapshot.ts'
import { applyRecord } from './applyRecord.ts'
import { createChainCheck, type LedgerRecord, readRecord, writeRecord } from './ledgerRecord.ts'
import { listSegments, openLedgerFile, reasonOf, segmentPath } from './ledgerSegment.ts'

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
  /** What is wrong there; null without gaps. */
  reason: string | null
  events: GuardEvent[]
}

/**
 * Reads the files of a ledger, checks their hash chains, and that each begins with the state at the end of the one
 * before. A truncated end is not detectable, and neither are missing files before the first.
 * @throws Error if there is no file; ConfigurationError if a file is a link, is not regular, or is open to others
 * @example
 * const { ok, brokenAt } = await verifyLedger('spending.jsonl')
 */
export async function verifyLedger(path: string): Promise<LedgerCheck> {
  const numbers = await listSegments(path)
  if (numbers.length === 0) throw new Error('The ledger has no file.')
  const writers = new Set<string>()
  const check: LedgerCheck = {
    ...{ ok: true, files: numbers.length, lines: 0, unreadable: 0, writers: 0 },
    ...{ brokenIn: null, brokenAt: null, reason: null, events: [] },
  }
  let end: SegmentEnd = null
  let previous = Number.NaN
  for (const number of numbers) {
    const expected: SegmentEnd = previous === number - 1 ? end : null
    end = await verifySegment(segmentPath(path, number), expected, check, writers)
    previous = number
  }
  return { ...check, writers: writers.size }
}

/** Hash of a seal and the state at it; null without a seal. */
type SegmentEnd = { seal: string; state: string } | null

async function verifySegment(
  file: string,
  expected: SegmentEnd,
  check: LedgerCheck,
  writers: Set<string>,
): Promise<SegmentEnd> {
  const isNext = createChainCheck()
  let state = createLedgerState()
  let end: SegmentEnd = null
  let number = 0
  const fail = (reason = 'earlier lines are missing or changed') => {
    if (check.ok) Object.assign(check, { ok: false, brokenIn: file, brokenAt: number, reason })
  }
  const handle = await openLedgerFile(file, 'read')
  for await (const line of handle.readLines()) {
    number += 1
    if (line === '') continue
    let record: LedgerRecord | undefined
    try {
      record = readRecord(line)
    } catch (error) {
      fail(reasonOf(error))
    }
    if (record === undefined) {
      check.unreadable += 1
      continue
    }
    check.lines += 1
    if (!isNext(record)) fail()
    // Lines after the seal are void.
    if (end !== null) continue
    if (record.type === 'snapshot') {
      if (expected !== null && !continues(record, expected)) fail()
      state = restoreState(record.snapshot)
      continue
    }
    writers.add(record.writer)
    if (record.type === 'seal') end = { seal: record.hash, state: describe(takeSnapshot(state)) }
    if (record.type === 'event') check.events.push(record.event)
    applyRecord(state, record)
  }
  return end
}

function continues(
  record: Extract<LedgerRecord, { type: 'snapshot' }>,
  { seal, state }: NonNullable<SegmentEnd>,
) {
  return record.after === seal && describe(record.snapshot) === state
}

/** Serialises a snapshot, to compare it. */
function describe(snapshot: object): string {
  return writeRecord({ type: 'snapshot', snapshot } as never).hash
}
