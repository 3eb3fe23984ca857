import type { LogReader } from '@touchstone402/guard/log'
import { LogError } from '@touchstone402/transparency'
import { DAY, toDate, toTimestamp } from '../../facts/times.ts'
import { breakDownScore, type ScorePart, scoreInputOf } from '../../judge/scoreParts.ts'
import { SCORE_VERSION } from '../../judge/spec.ts'
import { compareDecision, type Finding } from './compareDecision.ts'
import { fetchDays, type GetFile } from './fetchDays.ts'
import { arePurchasesPublished, judgePublished, observationsAt } from './judgePublished.ts'
import { type LoggedDecision, type LoggedPast, readLoggedPast } from './readLoggedPast.ts'

export type RecomputeLoggedOptions = {
  readonly reader: LogReader
  readonly get: GetFile
  /** Canonical URL. */
  readonly endpoint: string
  /** The decision as of the end of this day, `YYYY-MM-DD`. @default the newest day that is published */
  readonly date?: string | undefined
  /** First leaf that is read. */
  readonly from: number
}

/** Result of recomputing a logged decision. */
export type RecomputedLog = {
  readonly endpoint: string
  readonly date: string
  readonly decision: LoggedDecision
  /** Whether it is the newest decision on the endpoint, or probes of later days changed it. */
  readonly isNewest: boolean
  /** Days of the host that were checked against their leaves, and those that the service no longer keeps. */
  readonly days: { readonly checked: number; readonly gone: number }
  /** Number of probes of the endpoint, and the date of the first. */
  readonly observations: { readonly count: number; readonly from: string }
  readonly findings: readonly Finding[]
  /** Parts of the score; null if nothing was measured. */
  readonly parts: readonly ScorePart[] | null
}

/** Thrown if the log holds nothing that could be recomputed. */
export class NothingToRecomputeError extends Error {
  override readonly name = 'NothingToRecomputeError'
}

/** Number of days from which a decision is recomputed; probes are kept no longer. */
const WINDOW_DAYS = 90
/** Time after the begin of a day from which its probes are published. */
const PUBLISHED_AFTER_MS = 2 * DAY

/**
 * Recomputes a logged decision from the probes and inputs that the log commits to.
 * @throws LogError if the log, a day or a checkpoint is refused
 * @throws NothingToRecomputeError
 */
export async function recomputeLogged(options: RecomputeLoggedOptions): Promise<RecomputedLog> {
  const { reader, get, endpoint, from } = options
  const head = await reader.checkpoint()
  const past = await readLoggedPast(reader, head, endpoint, from)
  const date = options.date ?? newestPublished(past)
  if (date === undefined)
    throw new NothingToRecomputeError(`no day of ${new URL(endpoint).host} is logged and published yet`)
  const decision = decisionAt(past, endpoint, date)
  if (decision.leaf.scoreVersion !== SCORE_VERSION)
    throw new NothingToRecomputeError(
      `leaf ${decision.index} is by score ${decision.leaf.scoreVersion}, this release computes ${SCORE_VERSION}`,
    )
  const since = toDate(Date.parse(date) - (WINDOW_DAYS - 1) * DAY)
  const leaves = [...past.days.values()]
    .filter((day) => day.date >= since && day.date <= date)
    .sort((a, b) => (a.date < b.date ? -1 : 1))
  const days = await fetchDays(get, new URL(endpoint).host, leaves)
  const observations = observationsAt(days, endpoint)
  const [first] = observations
  if (first === undefined)
    throw new NothingToRecomputeError(`no probe of ${endpoint} from ${since} to ${date} is published`)
  const isWhole = days.length === leaves.length && ![...past.days.keys()].some((day) => day < since)
  const later = await fetchLater(past, get, new URL(endpoint).host, date)
  const published = { endpoint, decision, days, isWhole, later }
  const state = judgePublished(published)
  return {
    endpoint,
    date,
    decision,
    isNewest: decision === past.decisions.at(-1),
    days: { checked: days.length, gone: leaves.length - days.length },
    observations: { count: observations.length, from: toTimestamp(first.at) },
    findings: compareDecision(decision, state, arePurchasesPublished(published)),
    parts: state.score === null ? null : breakDownScore(scoreInputOf(state)),
  }
}

/** Returns the newest day whose probes the service must have published by the time of its newest leaf. */
function newestPublished({ days, newestAt }: LoggedPast): string | undefined {
  const until = Date.parse(newestAt) - PUBLISHED_AFTER_MS
  return [...days.keys()]
    .filter((date) => Date.parse(date) <= until)
    .sort()
    .at(-1)
}

/** Fetches the newest published day of the host after a date, whose inputs hold the purchases that were withheld. */
async function fetchLater(past: LoggedPast, get: GetFile, host: string, date: string) {
  const newest = past.days.get(newestPublished(past) ?? date)
  if (newest === undefined || newest.date <= date) return undefined
  const [day] = await fetchDays(get, host, [newest])
  return day
}

function decisionAt({ decisions }: LoggedPast, endpoint: string, date: string): LoggedDecision {
  const end = Date.parse(date) + DAY
  const found = decisions.findLast(({ leaf }) => Date.parse(leaf.at) < end)
  if (found !== undefined) return found
  throw decisions.length === 0
    ? new LogError('not_included', `the log holds no decision on ${endpoint}`)
    : new NothingToRecomputeError(`the log holds no decision on ${endpoint} until the end of ${date}`)
}
