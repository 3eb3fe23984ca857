import type { LogReader } from '@touchstone402/guard/log'
import type { AccuracyCounts, AccuracyPeriod, DeliveryCounts, ReportDay } from '@touchstone402/shared'
import { canonicalJson } from '@touchstone402/shared/leaves'
import { LogError } from '@touchstone402/transparency'
import type { Observation, Time } from '../../facts/facts.ts'
import { groupBy } from '../../facts/groupBy.ts'
import { DAY, toDate } from '../../facts/times.ts'
import { LIMITS } from '../../judge/spec.ts'
import { observeOutcome } from '../../publish/accuracy/outcome.ts'
import { countDeliveries, createOutcomeCount, groupKey } from '../../publish/accuracy/samples.ts'
import { PURCHASE_WITHHELD_MS } from '../../publish/publishedInputs.ts'
import { fetchDays, type GetFile } from './fetchDays.ts'
import { type LoggedVerdict, type LoggedVerdicts, readLoggedVerdicts } from './readLoggedVerdicts.ts'
import { NothingToRecomputeError } from './recomputeLogged.ts'

export type RecomputeAccuracyOptions = {
  readonly reader: LogReader
  readonly get: GetFile
  /** Reads the daily reports from a date on, with their counts. */
  readonly readReports: (since: string) => Promise<readonly ReportDay[]>
  readonly afterDays: AccuracyPeriod
  /** Day of the verdicts. @default the newest one that is counted and published */
  readonly date?: string | undefined
}

/** Counts of one verdict and band, as a report states them and as the log gives them; null where one has none. */
export type GroupFinding<T> = {
  readonly group: string
  readonly isEqual: boolean
  readonly stated: T | null
  readonly recomputed: T | null
}

/** A host whose days are refused. */
export type RefusedHost = { readonly host: string; readonly reason: string }

/** Result of counting the outcomes of one day again. */
export type RecomputedAccuracy = {
  readonly afterDays: AccuracyPeriod
  readonly date: string
  /** Day of the report that counted them. */
  readonly countedOn: string
  readonly outcomes: readonly GroupFinding<AccuracyCounts>[]
  /** Null while purchases of the period may be withheld: whether they were delivered is not known yet. */
  readonly deliveries: readonly GroupFinding<DeliveryCounts>[] | null
  /** Decisions without an opening, which cannot be counted. */
  readonly forgotten: number
  /**
   * Endpoints last judged Avoid without a served probe of the 48 h before. They were dropped after 90 dark days, which no leaf
   * says, so that the report may count so many more of them.
   */
  readonly dropped: number
  /** Hosts whose days are not those of their leaves; their endpoints are left out. */
  readonly refused: readonly RefusedHost[]
}

/** Time after the begin of a day from which its probes are published. */
const PUBLISHED_AFTER_MS = 2 * DAY
/** Reports that are searched for the newest day, beyond the period itself. */
const SEARCHED_DAYS = 14

/** When verdicts stood, their period, and when it was counted. */
type Period = {
  readonly at: Time
  readonly end: Time
  readonly countedAt: Time
  readonly afterDays: AccuracyPeriod
}

/**
 * Counts the outcomes of one day's verdicts again, from the decisions, probes and purchases that the log commits to. A
 * verdict had expired if no probe of the two days before measured anything.
 * @throws LogError if the log, a day or a checkpoint is refused
 * @throws NothingToRecomputeError
 */
export async function recomputeAccuracy(options: RecomputeAccuracyOptions): Promise<RecomputedAccuracy> {
  const { reader, get, afterDays } = options
  const logged = await readLoggedVerdicts(reader, await reader.checkpoint())
  const { sampled, counted, reports } = await findCounted(options, logged.newestAt)
  const at = Date.parse(sampled.asOf)
  const period = { at, end: at + afterDays * DAY, countedAt: Date.parse(counted.asOf), afterDays }
  const stated = counted.accuracy?.outcomes.find((one) => isOf(one, afterDays, sampled.date))
  const { counts, standing, dropped, refused } = await countOutcomes(get, logged, period)
  return {
    afterDays,
    date: sampled.date,
    countedOn: counted.date,
    outcomes: compare(stated?.groups ?? [], counts).map((finding) => allowDropped(finding, dropped)),
    deliveries: compareDeliveries(reports, sampled.date, logged, period, standing),
    forgotten: logged.forgotten,
    dropped,
    refused,
  }
}

const isOf = (one: { afterDays: number; date: string }, afterDays: number, date: string) =>
  one.afterDays === afterDays && one.date === date

/** Finds the report with which the verdicts stood, and the one that counted their outcomes. */
async function findCounted({ readReports, afterDays, date }: RecomputeAccuracyOptions, newestAt: Time) {
  const since = date ?? toDate(newestAt - (afterDays + SEARCHED_DAYS) * DAY)
  const reports = await readReports(since)
  const wrong = reports.find((report) => toDate(Date.parse(report.asOf)) !== report.date)
  if (wrong !== undefined)
    throw new LogError('malformed_leaf', `the report of ${wrong.date} states the time ${wrong.asOf}`)
  for (const sampled of [...reports].reverse()) {
    if (date !== undefined && sampled.date !== date) continue
    const counted = reports.find(({ accuracy }) =>
      accuracy?.outcomes.some((one) => isOf(one, afterDays, sampled.date)),
    )
    if (counted === undefined) continue
    // The last hours before the count are read too, for the verdict at the end.
    const isPublished = Date.parse(toDate(Date.parse(counted.asOf) - 1)) + PUBLISHED_AFTER_MS <= newestAt
    if (isPublished) return { sampled, counted, reports }
  }
  throw new NothingToRecomputeError(
    `no day ${date === undefined ? '' : `${date} `}whose outcomes after ${afterDays} days are counted is logged and published yet`,
  )
}

type Standing = { readonly endpoint: string } & LoggedVerdict

async function countOutcomes(get: GetFile, { verdicts, days }: LoggedVerdicts, period: Period) {
  const count = createOutcomeCount()
  const standing: Standing[] = []
  const refused: RefusedHost[] = []
  let dropped = 0
  const before = period.at - LIMITS.verdictLifetimeMs
  const hosts = groupBy(verdicts.keys(), (endpoint) => new URL(endpoint).host)
  for (const [host, endpoints] of hosts) {
    const leaves = (days.get(host) ?? []).filter(
      ({ date }) => date >= toDate(before) && date <= toDate(Math.max(period.end, period.countedAt - 1)),
    )
    const published = await readHost(get, host, leaves)
    if (published instanceof LogError) {
      refused.push({ host, reason: published.message })
      continue
    }
    const probes = groupBy(
      published.flatMap(({ observations }) => observations),
      ({ endpoint }) => endpoint,
    )
    for (const endpoint of endpoints) {
      const own = probes.get(endpoint) ?? []
      const decisions = verdicts.get(endpoint) ?? []
      const decided = decisionAt(decisions, period.at)
      if (decided === undefined) continue
      const isWatched = own.some((probe) => probe.at > before && probe.at <= period.at)
      if (!isWatched && decided.verdict === 'avoid') {
        dropped++
        continue
      }
      const stood = { endpoint, ...currentAt(decided, own, period.at) }
      const later = currentAt(decisionAt(decisions, period.countedAt) ?? decided, own, period.countedAt)
      standing.push(stood)
      count.add({
        ...stood,
        ...observeOutcome(
          decided.terms,
          own.filter((probe) => probe.at > period.at && probe.at <= period.end),
        ),
        avoidAfter: later.verdict === 'avoid',
      })
    }
  }
  return { counts: count.counts(), standing, dropped, refused }
}

/** Reads the days of a host that are served. Those of a host whose endpoints were all dropped are gone. */
async function readHost(get: GetFile, host: string, leaves: Parameters<typeof fetchDays>[2]) {
  return fetchDays(get, host, leaves).catch((error: unknown) => {
    if (error instanceof LogError) return error
    throw error
  })
}

const decisionAt = (decisions: readonly LoggedVerdict[], at: Time) =>
  decisions.findLast((decision) => decision.at <= at)

/** A verdict expires 48 h after the last probe that confirms it. */
function currentAt(decision: LoggedVerdict, probes: readonly Observation[], at: Time): LoggedVerdict {
  const isConfirmed = probes.some(
    (probe) => probe.outcome !== 'not_measured' && probe.at <= at && probe.at > at - LIMITS.verdictLifetimeMs,
  )
  return isConfirmed ? decision : { ...decision, verdict: 'unknown', band: null }
}

function compareDeliveries(
  reports: readonly ReportDay[],
  date: string,
  { purchases, newestAt }: LoggedVerdicts,
  { at, end, afterDays }: Period,
  standing: readonly Standing[],
): readonly GroupFinding<DeliveryCounts>[] | null {
  const counted = reports.flatMap(({ accuracy }) => accuracy?.deliveries ?? [])
  const stated = counted.find((one) => isOf(one, afterDays, date))
  if (stated === undefined || end + PURCHASE_WITHHELD_MS > newestAt) return null
  const bought = groupBy(
    purchases.filter((purchase) => purchase.at > at && purchase.at <= end),
    ({ endpoint }) => endpoint,
  )
  const samples = standing.map(({ endpoint, verdict, band }) => ({
    endpoint,
    verdict,
    band,
    delivered: bought.get(endpoint)?.every(({ delivered }) => delivered) ?? null,
  }))
  return compare(stated.groups, countDeliveries(samples))
}

type Group = Pick<AccuracyCounts, 'verdict' | 'band'>

/** Accepts a report that counts more of Avoid, by no more than the endpoints that may have been dropped, and none as held. */
function allowDropped(finding: GroupFinding<AccuracyCounts>, dropped: number): GroupFinding<AccuracyCounts> {
  const { stated, recomputed } = finding
  const more = (stated?.endpoints ?? 0) - (recomputed?.endpoints ?? 0)
  const isAvoid = stated?.verdict === 'avoid' && stated.held === (recomputed?.held ?? 0)
  return isAvoid && more > 0 && more <= dropped ? { ...finding, isEqual: true } : finding
}

/** Compares the counts of each verdict and band. */
function compare<T extends Group>(stated: readonly T[], recomputed: readonly T[]): GroupFinding<T>[] {
  const keys = new Set([...stated, ...recomputed].map(groupKey))
  return [...keys].map((group) => {
    const [said, found] = [stated, recomputed].map(
      (all) => all.find((one) => groupKey(one) === group) ?? null,
    )
    const isEqual = canonicalJson({ ...said }) === canonicalJson({ ...found })
    return { group, isEqual, stated: said ?? null, recomputed: found ?? null }
  })
}
