import type { PaidOperationId, Report, ReportDay, TrustLive, Verdict } from '@touchstone402/shared'
import { type Auditor, type Look, NotPublicError } from '../../audit/createAuditor.ts'
import { readHistory } from '../../audit/readHistory.ts'
import { isUnmeasured } from '../../domain/facts/facts.ts'
import { MINUTE, toTimestamp } from '../../domain/facts/times.ts'
import { findShownRecord } from '../../domain/judge/receivers.ts'
import { describeStatus } from '../../domain/publish/catalog.ts'
import { describeLiveCheck } from '../../domain/publish/liveCheck.ts'
import { SCORE_SPEC } from '../../domain/publish/scoreSpec.ts'
import { standsUntil } from '../../domain/publish/verdict.ts'
import type { Clock } from '../../ports/clock.ts'
import type { McpAudits } from '../../ports/mcp.ts'
import type { DecisionSigner } from '../../ports/signer.ts'
import type { Snapshots } from '../../ports/snapshots.ts'
import type { Store } from '../../ports/store.ts'
import type { Found, ReadModel } from '../../readModel/createReadModel.ts'
import { keepMade } from '../../readModel/keepMade.ts'
import { readSharedBy } from '../../readModel/readRecord.ts'
import { readTally } from '../../readModel/readTally.ts'
import type { Answers, FreeAnswer } from '../deps.ts'
import { ProblemError } from '../problems.ts'
import { createDatasetAnswers } from './createDatasetAnswers.ts'
import { createFeedReader } from './createFeedReader.ts'
import { createSampleAnswers } from './createSampleAnswers.ts'
import { createTokenOperations, type TokenOperationDeps } from './createTokenOperations.ts'
import { createVerdictAnswers } from './createVerdictAnswers.ts'

export type AnswerDeps = TokenOperationDeps & {
  readonly store: Store
  readonly readModel: Pick<ReadModel, 'find' | 'isCurrent' | 'revision'>
  readonly auditor: Pick<Auditor, 'lookLive'>
  readonly signer: Pick<DecisionSigner, 'sign'>
  readonly clock: Clock
  readonly publicUrl: string
  readonly liveCheckPriceUsd: number
  /** Running prices in dollars as decimal strings. */
  readonly prices: Readonly<Record<PaidOperationId, string>>
  readonly snapshots: Pick<Snapshots, 'write'>
  readonly mcpAudits: Pick<McpAudits, 'all'>
}

/** Time until a cached verdict that nothing changed is made again, for its `ts` and `cacheAgeHours`. */
const VERDICT_AGE_MS = 10 * MINUTE

/** Creates the handlers of all operations. */
export function createAnswers(deps: AnswerDeps): Answers {
  const { store, readModel, auditor, clock } = deps
  const readFeed = createFeedReader(deps)
  const verdicts = createVerdictAnswers(deps)
  const { preview, catalog, ...datasets } = createDatasetAnswers(deps)
  const status = keepMade({
    readModel,
    clock,
    make: async () => {
      const tally = await readTally(store, clock.now())
      return { ...describeStatus(tally), dataset: await preview(tally.workingHosts) }
    },
  })
  /** Returns what tells whether an answer still stands. It holds no state, since cached answers outlive cached states. */
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
  /** @param revisionThen before the endpoint was looked up */
  const answerVerdict = (endpoint: string, found: Found | null, revisionThen: number) => {
    const isCurrent = keepsCurrent(endpoint, found === null ? null : { match: found.match }, revisionThen)
    const now = clock.now()
    const toAnswer = (body: Verdict): FreeAnswer<'verify'> => {
      if (found === null || body.expiresAt === null) return { body, isCurrent }
      const madeAgainAt = Math.min(now + VERDICT_AGE_MS, standsUntil(found.state, Date.parse(body.ts)))
      return { body, isCurrent, madeAgainAt, expiresAt: Date.parse(body.expiresAt) }
    }
    const recalled = found === null ? undefined : verdicts.recall(endpoint, found)
    return recalled === undefined ? verdicts.sign(endpoint, found).then(toAnswer) : toAnswer(recalled)
  }
  return {
    ...createTokenOperations(deps),
    ...datasets,
    ...createSampleAnswers(deps),
    verify: ({ endpoint }) => {
      const revision = readModel.revision()
      const found = readModel.find(endpoint)
      return found instanceof Promise
        ? found.then((read) => answerVerdict(endpoint, read, revision))
        : answerVerdict(endpoint, found, revision)
    },
    status: async () => {
      const body = await status.get()
      return { body, isCurrent: () => status.peek() === body }
    },
    incidents: async (query) => {
      const { head, records, isCurrent } = await readFeed(query, (feed) => store.incidents(feed))
      return { body: { ...head, incidents: records }, isCurrent }
    },
    changes: async (query) => {
      const { head, records, isCurrent } = await readFeed(query, (feed) => store.changes(feed))
      return { body: { ...head, changes: records }, isCurrent }
    },
    reports: async ({ since }) => {
      const reports = await store.reports()
      const latest = reports.at(-1) ?? null
      const asOf = latest?.asOf ?? toTimestamp(clock.now())
      const firstDay = since?.slice(0, 'YYYY-MM-DD'.length) ?? ''
      const series = reports.filter(({ date }) => date >= firstDay).map(toDay)
      return {
        body: { asOf, latest, count: series.length, series },
        isCurrent: () => true,
      }
    },
    trustScore: async () => ({ body: SCORE_SPEC, isCurrent: () => true }),
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
    const look = await auditor.lookLive(endpoint, signal).catch((error: unknown) => {
      if (!(error instanceof NotPublicError)) throw error
      throw new ProblemError(
        400,
        'not_public',
        'endpoint: expected a host on the public internet, at port 80 or 443.',
      )
    })
    refuseUnmeasured(look)
    const verdict = await verdicts.sign(endpoint, { state: look.state, match: 'exact' })
    const { network, payTo } = look.state
    const records = payTo === null || network === null ? [] : await store.receiver(network, payTo)
    const record = findShownRecord(records, clock.now())
    return describeLiveCheck({
      verdict,
      before: before?.state,
      look,
      record,
      sharedByHosts: record === undefined ? null : await readSharedBy(store, record.network, record.address),
    })
  }
}

/**
 * Refuses to sell a live check that measured nothing, for a fault of ours or because the host declines probes.
 * @throws ProblemError
 */
function refuseUnmeasured({ observations }: Look): void {
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

function toDay({ directories: _directories, summary: _summary, ...day }: Report): ReportDay {
  return day
}
