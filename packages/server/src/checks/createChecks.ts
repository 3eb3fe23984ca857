import { randomBytes } from 'node:crypto'
import type { Context } from '../context.ts'
import { DAY, MINUTE, toTimestamp } from '../facts/times.ts'
import { logFailure } from '../lib/logFailure.ts'
import { ProblemError } from '../lib/problemError.ts'
import type { UnpaidCaller } from '../probe/createUnpaidCaller.ts'
import { WORST_FIRST } from '../publish/profile.ts'
import { currentVerdict } from '../publish/verdict.ts'
import { readDocument } from '../store/documents.ts'
import { readState } from '../store/endpoints.ts'
import { readSummary } from '../store/hosts.ts'
import { type CheckRecord, type CheckRequest, isOver } from './checkRecord.ts'
import { createCheckLimits } from './limits.ts'
import { type CheckReach, makeCheck } from './makeCheck.ts'

/** How checks reach what they check. */
export type ChecksReach = CheckReach & {
  readonly caller: Pick<UnpaidCaller, 'ask' | 'resolve'>
  /** Puts endpoints of a host at the front of the crawl queue. */
  readonly probeFirst: (host: string, endpoints: readonly string[]) => Promise<void>
}

/** A check, and its public view. */
export type CheckView = {
  readonly check: CheckRecord
  /** Number of checks before it in the queue. */
  readonly ahead: number
  /** The endpoints of a host, and how each stands since the check was asked for. @default none, for one endpoint */
  readonly rows: readonly CheckedRow[]
  /** The earlier check of the same endpoint that failed somewhere. */
  readonly before: CheckRecord | undefined
}

/** An endpoint of a checked host. */
export type CheckedRow = ReturnType<typeof describeRow>

/** Public checks, free of charge. */
export type Checks = ReturnType<typeof createChecks>

const KIND = 'scan'
/** Days for which a check is kept. */
export const KEPT_DAYS = 90
const MAX_WAITING = 20
/** Limit of one check in ms of real time; a live check takes 45 seconds at most, but may wait for the lock of its host. */
const MAX_CHECK_MS = 120_000
/** Maximum number of endpoints that are probed at the check of a host. */
const MAX_OF_HOST = 20
/** Time after which the probes of a host are no longer waited for. */
const HOST_PATIENCE_MS = 10 * MINUTE

/** 128 bits: the id of a check gives access to it. */
const newId = () => randomBytes(16).toString('base64url')

/** Creates the checks: a bounded queue, of which one check at a time is made, nothing is paid, and records are kept 90 days. */
export function createChecks(ctx: Pick<Context, 'store' | 'clock' | 'ids' | 'log'>, reach: ChecksReach) {
  const { store, clock, log } = ctx
  const warn = (error: unknown) => logFailure(log, 'check', error)
  const limits = createCheckLimits(reach.caller)
  const waiting: { readonly check: CheckRecord; readonly request: CheckRequest }[] = []
  const closing = new AbortController()
  let working: Promise<void> | undefined

  const write = (check: CheckRecord) => {
    const expiresAt = check.askedAt + KEPT_DAYS * DAY
    return store.write('putDocument', { kind: KIND, id: check.id, expiresAt, data: check }, clock.now())
  }
  const find = async (id: string) => {
    const kept = (await readDocument(store, KIND, id, clock.now()))?.data as CheckRecord | undefined
    return kept && complete(kept)
  }
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { check, request } = next
      try {
        await write({ ...check, state: 'running' })
        const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(MAX_CHECK_MS)])
        const outcome = await makeCheck(ctx, reach, check, request, signal).catch((error: unknown) => {
          warn(error)
          return { failure: 'own_fault' as const, result: null, publication: null }
        })
        const state = outcome.result === null ? 'failed' : 'done'
        await write({ ...check, ...outcome, state, finishedAt: clock.now() })
      } catch (error) {
        warn(error)
      }
    }
    working = undefined
  }
  /** Lists the endpoints of a host that are probed, the worst first. @throws ProblemError 404 without any */
  const listEndpoints = async (host: string) => {
    const now = clock.now()
    const listed = (await readSummary(store, host))?.endpoints ?? []
    if (listed.length === 0)
      throw new ProblemError(404, 'never_seen', 'No listed endpoint of this host; check a URL of it.')
    const rankOf = (row: (typeof listed)[number]) => WORST_FIRST.indexOf(currentVerdict(row, now).verdict)
    const worst = listed.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, MAX_OF_HOST)
    return worst.map(({ endpoint }) => endpoint)
  }
  const enqueue = async (check: CheckRecord, request: CheckRequest) => {
    if (waiting.length >= MAX_WAITING || closing.signal.aborted) {
      const detail = 'Many checks are waiting; try again in a minute.'
      throw new ProblemError(503, 'queue_full', detail, { retryAfterSeconds: 60 })
    }
    const queued = { check, request }
    waiting.push(queued)
    await write(check).catch((error: unknown) => {
      const place = waiting.indexOf(queued)
      // The check that runs may have ended meanwhile, and this one have begun.
      if (place >= 0) waiting.splice(place, 1)
      throw error
    })
    working ??= work()
  }

  return {
    /**
     * Queues a check.
     * @throws ProblemError 404 if nothing of the host is listed, 429 over a limit, 503 if the queue is full
     */
    async start(request: CheckRequest): Promise<CheckRecord> {
      const { host, endpoint, previous = null } = request
      const endpoints = endpoint === null ? await listEndpoints(host) : []
      await limits.take(request)
      const empty = { finishedAt: null, result: null, failure: null, publication: null }
      const common = { id: newId(), host, endpoint, endpoints, askedAt: clock.now(), previous, ...empty }
      const check: CheckRecord = { ...common, state: endpoint === null ? 'running' : 'queued' }
      if (endpoint === null) {
        await write(check)
        await reach.probeFirst(host, endpoints)
      } else await enqueue(check, request)
      return check
    },
    /** Returns a check of the last 90 days. */
    async read(id: string): Promise<CheckView | undefined> {
      const kept = await find(id)
      if (kept === undefined) return undefined
      const now = clock.now()
      const { endpoints = [], askedAt, previous, endpoint } = kept
      const place = waiting.findIndex(({ check }) => check.id === id)
      const ahead = Math.max(0, place)
      if (endpoint === null) {
        const states = await Promise.all(endpoints.map(async (url) => (await readState(store, url))?.state))
        const rows = states.flatMap((state) => (state ? [describeRow(state, askedAt, now)] : []))
        const isDone = rows.every(({ isChecked }) => isChecked) || now - askedAt > HOST_PATIENCE_MS
        return { check: { ...kept, state: isDone ? 'done' : 'running' }, ahead, rows, before: undefined }
      }
      const before = previous === null ? undefined : await find(previous)
      const isBefore = before?.endpoint === endpoint && before.result !== null && before.askedAt <= askedAt
      const check = place < 0 ? endLost(kept, now) : kept
      return { check, ahead, rows: [], before: isBefore ? before : undefined }
    },
    /** Ends the check that runs; those that wait are interrupted. */
    async close(): Promise<void> {
      closing.abort()
      waiting.length = 0
      await working
    },
  }
}

/** Adds what records of earlier versions lack. */
function complete(kept: CheckRecord): CheckRecord {
  const { endpoint, result } = kept
  return {
    ...kept,
    publication: kept.publication ?? null,
    previous: kept.previous ?? null,
    ...(endpoint !== null && { host: new URL(endpoint).host }),
    result: result && {
      ...result,
      terms: result.terms ?? [],
      sells: result.sells ?? null,
      challenge: result.challenge ?? null,
    },
  }
}

function describeRow(state: Parameters<typeof currentVerdict>[0], askedAt: number, now: number) {
  const { endpoint, lastChecked } = state
  const { verdict, status } = currentVerdict(state, now)
  const isChecked = lastChecked !== null && lastChecked >= askedAt
  return { endpoint, isChecked, checkedAt: isChecked ? toTimestamp(lastChecked) : null, status, verdict }
}

/** A check whose process ended never finishes. */
function endLost(check: CheckRecord, now: number): CheckRecord {
  const isLost = !isOver(check) && now - check.askedAt > (MAX_WAITING + 1) * MAX_CHECK_MS
  return isLost ? { ...check, state: 'failed', failure: 'interrupted' } : check
}
