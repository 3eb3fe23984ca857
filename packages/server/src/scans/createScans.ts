import { randomBytes } from 'node:crypto'
import { askForTerms, type ScanAnswer, type ScannedTerms } from '@touchstone402/shared/scan'
import { type Auditor, NotPublicError } from '../audit/createAuditor.ts'
import { isUnmeasured } from '../domain/facts/facts.ts'
import { DAY, MINUTE } from '../domain/facts/times.ts'
import { ProblemError } from '../http/problems.ts'
import type { Clock } from '../ports/clock.ts'
import type { ExpiringStore } from '../ports/expiring.ts'
import { describeScan } from './describeScan.ts'
import { createScanLimits, type Resolve } from './limits.ts'
import type { ScanRecord } from './scanRecord.ts'

/** Sends one unpaid request under the address guard. */
export type AskUnpaid = (
  endpoint: string,
  method: ScanAnswer['method'],
  signal: AbortSignal,
) => Promise<ScanAnswer>

export type ScansDeps = {
  readonly documents: ExpiringStore
  readonly auditor: Pick<Auditor, 'lookLive'>
  readonly ask: AskUnpaid
  readonly resolve: Resolve
  readonly clock: Pick<Clock, 'now'>
  /** Returns an id of at least 128 random bits. @default 128 bits */
  readonly newId?: () => string
  readonly onError: (error: unknown) => void
}

/** Scans that are asked for without paying. */
export type Scans = {
  /**
   * Queues a scan of an endpoint.
   * @param endpoint canonical URL
   * @throws ProblemError 429 over a limit, 503 if the queue is full
   */
  start(endpoint: string, client: string): Promise<ScanRecord>
  /** Returns a scan of the last 90 days, and how many are before it. */
  read(id: string): Promise<{ readonly scan: ScanRecord; readonly ahead: number } | undefined>
  /** Ends the scan that runs; those that wait are interrupted. */
  close(): Promise<void>
}

const KIND = 'scan'
const KEPT_MS = 90 * DAY
const MAX_WAITING = 20
/** Limit of one scan in ms of real time; a live check takes 45 seconds at most, but may wait for the lock of its host. */
const MAX_SCAN_MS = 120_000
const NO_TERMS: ScannedTerms = { answers: [], answer: null, challenge: null }

const randomId = () => randomBytes(16).toString('base64url')

/** Creates the scans: a bounded queue, of which one scan at a time is made, nothing is paid, and records are kept 90 days. */
export function createScans(deps: ScansDeps): Scans {
  const { documents, clock, newId = randomId, onError } = deps
  const limits = createScanLimits(deps.resolve)
  const waiting: ScanRecord[] = []
  const closing = new AbortController()
  let working: Promise<void> | undefined

  const write = (scan: ScanRecord) =>
    documents.put({ kind: KIND, id: scan.id, expiresAt: scan.askedAt + KEPT_MS, data: scan }, clock.now())
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const scan = next
      try {
        await write({ ...scan, state: 'running' })
        const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(MAX_SCAN_MS)])
        const outcome = await makeScan(deps, scan.endpoint, signal).catch((error: unknown) => {
          onError(error)
          return { failure: 'own_fault' as const, result: null }
        })
        const state = outcome.result === null ? 'failed' : 'done'
        await write({ ...scan, ...outcome, state, finishedAt: clock.now() })
      } catch (error) {
        onError(error)
      }
    }
    working = undefined
  }

  return {
    async start(endpoint, client) {
      await limits.take(endpoint, client)
      if (waiting.length >= MAX_WAITING || closing.signal.aborted) {
        const detail = 'Many scans are waiting; try again in a minute.'
        throw new ProblemError(503, 'queue_full', detail, { retryAfterSeconds: 60 })
      }
      const scan: ScanRecord = {
        ...{ id: newId(), endpoint, state: 'queued', askedAt: clock.now() },
        ...{ finishedAt: null, result: null, failure: null },
      }
      waiting.push(scan)
      await write(scan).catch((error: unknown) => {
        waiting.splice(waiting.indexOf(scan), 1)
        throw error
      })
      working ??= work()
      return scan
    },
    async read(id) {
      const now = clock.now()
      const document = await documents.get(KIND, id, now)
      if (document === undefined) return undefined
      const scan = document.data as ScanRecord
      return {
        scan: endLost(scan, now),
        ahead: Math.max(
          0,
          waiting.findIndex((one) => one.id === id),
        ),
      }
    },
    async close() {
      closing.abort()
      waiting.length = 0
      await working
    },
  }
}

/** A scan whose process ended never finishes. */
function endLost(scan: ScanRecord, now: number): ScanRecord {
  const isOver = scan.state === 'done' || scan.state === 'failed'
  const isLost = !isOver && now - scan.askedAt > (MAX_WAITING + 1) * MINUTE
  return isLost ? { ...scan, state: 'failed', failure: 'interrupted' } : scan
}

async function makeScan(
  { auditor, ask, clock }: ScansDeps,
  endpoint: string,
  signal: AbortSignal,
): Promise<Pick<ScanRecord, 'result' | 'failure'>> {
  const look = await auditor.lookLive(endpoint, signal).catch((error: unknown) => {
    if (error instanceof NotPublicError) return null
    throw error
  })
  if (look === null) return { result: null, failure: 'not_public' }
  const { state, observations } = look
  const own = observations.filter(({ purpose }) => purpose !== 'control')
  // Most often a typing error, whether or not our resolver is known to work.
  if (own.length > 0 && own.every(({ cause }) => cause === 'dns_failed')) {
    return { result: null, failure: 'dns_failed' }
  }
  if (isUnmeasured(observations)) {
    const isDeclined = observations.some(({ cause }) => cause === 'opted_out')
    return { result: null, failure: isDeclined ? 'opted_out' : 'own_fault' }
  }
  // What fails here failed in the live check too, which says more about it.
  const terms = await askForTerms((method) => ask(endpoint, method, signal)).catch(() => NO_TERMS)
  const isAlive = observations.some(({ purpose, outcome }) => purpose !== 'control' && outcome === 'up')
  return { result: describeScan(state, terms, { isAlive, now: clock.now() }), failure: null }
}
