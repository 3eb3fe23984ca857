import {
  type Change,
  decodeCursor,
  encodeCursor,
  type Incident,
  type Report,
  type ReportDay,
  type TrustLive,
} from '@touchstone402/shared'
import type { TokenAnswers } from '@touchstone402/transfers'
import { type Auditor, NotPublicError, type Probed } from '../../audit/createAuditor.ts'
import { readHistory } from '../../audit/readHistory.ts'
import type { Context } from '../../context.ts'
import { isUnmeasured } from '../../facts/facts.ts'
import { DAY, HOUR, MINUTE, startOfMinute, toTimestamp } from '../../facts/times.ts'
import { findShownRecord } from '../../judge/receivers.ts'
import type { DecisionSigner } from '../../keys/signer.ts'
import type { Clock } from '../../lib/clock.ts'
import { ProblemError } from '../../lib/problemError.ts'
import { describeStatus } from '../../publish/catalog.ts'
import { describeLiveCheck } from '../../publish/liveCheck.ts'
import { SCORE_SPEC } from '../../publish/scoreSpec.ts'
import { standsUntil } from '../../publish/verdict.ts'
import type { Found, ReadModel } from '../../readModel/createReadModel.ts'
import { keepMade } from '../../readModel/keepMade.ts'
import { readAccuracy } from '../../readModel/readAccuracy.ts'
import { readSharedBy } from '../../readModel/readRecord.ts'
import { readTally } from '../../readModel/readTally.ts'
import { readLatestReport, readReceiverRecords, readReports } from '../../store/facts.ts'
import type { FeedPage, FeedQuery } from '../../store/feeds.ts'
import { readChanges, readIncidents } from '../../store/feeds.ts'
import type { Answers, OperationQuery } from '../deps.ts'
import { answerKept, createDatasetAnswers, type DatasetParts } from './createDatasetAnswers.ts'
import { createMcpAnswers } from './createMcpAnswers.ts'
import { signVerdict } from './signVerdict.ts'
import { tokenHandlers } from './tokenHandlers.ts'

/** Parts of the answers. */
export type AnswerParts = DatasetParts & {
  readonly readModel: Pick<ReadModel, 'find' | 'isCurrent' | 'revision' | 'newsRevision'>
  readonly auditor: Pick<Auditor, 'probeLive'>
  readonly signer: Pick<DecisionSigner, 'sign'>
  readonly tokens: TokenAnswers
  /** Time limit for reading the chain for a token answer, in ms. */
  readonly readMs: number
}

/** Time until a cached verdict that nothing changed is made again, for its `ts` and `cacheAgeHours`. */
const VERDICT_AGE_MS = 10 * MINUTE

/** Creates the handlers of all operations. */
export function createAnswers(ctx: Pick<Context, 'clock' | 'config' | 'store'>, parts: AnswerParts): Answers {
  const { store, clock } = ctx
  const { readModel, auditor, signer } = parts
  const { preview, catalog, ...datasets } = createDatasetAnswers(ctx, parts)
  const status = keepMade({
    readModel,
    clock,
    make: async () => {
      const tally = await readTally(store, clock.now())
      const accuracy = await readAccuracy(store, clock.now())
      return {
        ...describeStatus(tally),
        ...(accuracy && { accuracy: [...accuracy] }),
        dataset: await preview(tally.workingHosts),
      }
    },
  })
  /** Returns a test whether an answer is still current. It holds no state: many answers are kept. */
  const keepsCurrent = (endpoint: string, found: Pick<Found, 'match'> | null, since: number) => {
    let revision = since
    return () => {
      // Cheaper than a look-up while nothing changes.
      if (readModel.revision() === revision) return true
      if (!readModel.isCurrent(endpoint, found, revision)) return false
      revision = readModel.revision()
      return true
    }
  }
  return {
    ...tokenHandlers(parts.tokens, parts.readMs),
    ...datasets,
    ...createMcpAnswers(ctx, readModel),
    async verify({ endpoint }) {
      const revision = readModel.revision()
      const found = await readModel.find(endpoint)
      const isCurrent = keepsCurrent(endpoint, found && { match: found.match }, revision)
      const now = clock.now()
      const body = await signVerdict(ctx, signer, endpoint, found)
      if (found === null || body.expiresAt === null) return { body, isCurrent }
      const madeAgainAt = Math.min(now + VERDICT_AGE_MS, standsUntil(found.state, Date.parse(body.ts)))
      return { body, isCurrent, madeAgainAt, expiresAt: Date.parse(body.expiresAt) }
    },
    status: () => answerKept(status, (body) => body),
    incidents: async (query) => {
      const { head, records, isCurrent } = await readFeed(clock, readModel, query, (feed) =>
        readIncidents(store, feed),
      )
      return { body: { ...head, incidents: records }, isCurrent }
    },
    changes: async (query) => {
      const { head, records, isCurrent } = await readFeed(clock, readModel, query, (feed) =>
        readChanges(store, feed),
      )
      return { body: { ...head, changes: records }, isCurrent }
    },
    reports: async ({ since }) => {
      const [latest = null, reports] = await Promise.all([
        readLatestReport(store),
        readReports(store, since?.slice(0, 'YYYY-MM-DD'.length)),
      ])
      const asOf = latest?.asOf ?? toTimestamp(clock.now())
      const days = reports.map(toDay)
      // A series of years would be mostly counts.
      const series = since === undefined ? days.map(withoutCounts) : days
      return {
        body: { asOf, latest, count: series.length, series },
        isCurrent: () => true,
      }
    },
    trustScore: async () => {
      const accuracy = await readAccuracy(store, clock.now())
      const body = { ...SCORE_SPEC, ...(accuracy && { accuracy: [...accuracy] }) }
      const madeAt = clock.now()
      return { body, isCurrent: () => clock.now() - madeAt < HOUR }
    },
    trust: async ({ endpoint }, { signal }) =>
      endpoint === undefined ? catalog() : checkLive(endpoint, signal),
    trustHistory: async ({ endpoint }) => {
      const state = (await readModel.find(endpoint))?.state
      if (state === undefined) {
        throw new ProblemError(
          404,
          'never_seen',
          'This endpoint has never been probed; /trust probes it now.',
        )
      }
      return (await readHistory(store, state, clock.now())).history
    },
  }

  async function checkLive(endpoint: string, signal: AbortSignal): Promise<TrustLive> {
    const before = await readModel.find(endpoint)
    const observation = await auditor.probeLive(endpoint, signal).catch((error: unknown) => {
      if (!(error instanceof NotPublicError)) throw error
      throw new ProblemError(
        400,
        'not_public',
        'endpoint: expected a host on the public internet, at port 80 or 443.',
      )
    })
    refuseUnmeasured(observation)
    const verdict = await signVerdict(ctx, signer, endpoint, { state: observation.state, match: 'exact' })
    const { network, payTo } = observation.state
    const records = payTo === null || network === null ? [] : await readReceiverRecords(store, network, payTo)
    const record = findShownRecord(records, clock.now())
    return describeLiveCheck({
      verdict,
      before: before?.state,
      observation,
      record,
      sharedByHosts: record === undefined ? null : await readSharedBy(store, record.network, record.address),
    })
  }
}

/**
 * Refuses to sell a live check that measured nothing, for a fault of ours or because the host declines probes.
 * @throws ProblemError
 */
function refuseUnmeasured({ observations }: Probed): void {
  if (!isUnmeasured(observations)) return
  if (observations.some(({ cause }) => cause === 'opted_out')) {
    throw new ProblemError(
      404,
      'probes_declined',
      'The host declines probes, by robots.txt or /.well-known/x402, so nothing was measured.',
    )
  }
  throw new ProblemError(503, 'not_measured', 'The endpoint could not be measured for a fault on our side.', {
    retryAfterSeconds: 10,
  })
}

function toDay(report: Report): ReportDay {
  const { summary: _summary, accuracyFigures, ...day } = report
  if (accuracyFigures === undefined) return day
  return { ...day, held: accuracyFigures.map(({ afterDays, heldPct }) => ({ afterDays, heldPct })) }
}

function withoutCounts({ accuracy: _accuracy, ...day }: ReportDay): ReportDay {
  return day
}

/** Reads one page of a feed: its records, and the fields of its answer. */
async function readFeed<T extends Incident | Change>(
  clock: Pick<Clock, 'now'>,
  readModel: Pick<ReadModel, 'newsRevision'>,
  { days, since, limit, cursor }: OperationQuery<'incidents' | 'changes'>,
  read: (query: FeedQuery) => Promise<FeedPage<T>>,
) {
  const revision = readModel.newsRevision()
  const now = clock.now()
  const from = since === undefined ? now - days * DAY : Date.parse(since)
  const after = cursor === undefined ? undefined : decodeCursor(cursor)
  // Read one more to see whether there is a next page.
  const page = await read({ since: from, limit: limit + 1, ...(after && { after }) })
  const records = page.records.slice(0, limit)
  const last = page.records.length > limit ? records.at(-1) : undefined
  return {
    head: {
      asOf: toTimestamp(startOfMinute(now)),
      days: since === undefined ? days : Math.max(0, Math.ceil((now - from) / DAY)),
      since: since ?? null,
      limit,
      count: records.length,
      total: page.total,
      truncated: last !== undefined,
      nextCursor: last === undefined ? null : encodeCursor(placeOf(last)),
    },
    records,
    isCurrent: () => readModel.newsRevision() === revision,
  }
}

const placeOf = (record: Incident | Change) => ({
  at: Date.parse('at' in record ? record.at : record.detectedAt),
  id: record.id,
})
