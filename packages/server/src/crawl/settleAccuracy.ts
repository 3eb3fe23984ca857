import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  ACCURACY_PERIODS,
  type AccuracyCounts,
  type AccuracyDay,
  type AccuracyPeriod,
  type DeliveryCounts,
  type Report,
} from '@touchstone402/shared'
import type { Purchase, Time } from '../facts/facts.ts'
import { groupBy } from '../facts/groupBy.ts'
import { DAY, HOUR, toDate } from '../facts/times.ts'
import { observeOutcome } from '../publish/accuracy/outcome.ts'
import { countDeliveries, createOutcomeCount } from '../publish/accuracy/samples.ts'
import { PURCHASE_WITHHELD_MS } from '../publish/publishedInputs.ts'
import { readNewestAt } from '../store/endpoints.ts'
import { readObservations } from '../store/observations.ts'
import type { StandingPage } from '../store/standing.ts'
import { readPurchasesBetween, readStandingVerdicts } from '../store/standing.ts'
import type { Store } from '../store/store.ts'

/** A report whose verdicts can be counted. */
type Counted = { readonly date: string; readonly at: Time }

/** Endpoints that are read at once. */
const PAGE = 100
/** A crawl that judged something this long before the end of a period watched it to its end. */
const WATCHED_MS = 4 * HOUR
/** The part of the record that may still hold all that a period needs: probes are kept for 90 days. */
const OLDEST_MS = 80 * DAY

/**
 * Counts the outcomes of earlier verdicts whose periods have ended, and that no report has counted yet. A period ends
 * only if the crawl ran near its end or later, so that neither an outage of ours nor a clock that jumped ends it.
 * Purchases are counted once they are published.
 * @param reports the newest ones, without today's
 */
export async function settleAccuracy(
  store: Store,
  reports: readonly Report[],
  now: Time,
): Promise<AccuracyDay> {
  const known = Math.min(now, ((await readNewestAt(store)) ?? 0) + WATCHED_MS)
  const outcomes: AccuracyDay['outcomes'] = []
  const deliveries: AccuracyDay['deliveries'] = []
  for (const afterDays of ACCURACY_PERIODS) {
    for (const day of dueOf(reports, 'outcomes', afterDays, known, now))
      outcomes.push({ afterDays, date: day.date, groups: await countOutcomesOf(store, day, afterDays, now) })
    const published = known - PURCHASE_WITHHELD_MS
    for (const day of dueOf(reports, 'deliveries', afterDays, published, now))
      deliveries.push({
        afterDays,
        date: day.date,
        groups: await countPurchasesOf(store, day, afterDays, now),
      })
  }
  return { outcomes, deliveries }
}

/** Returns the reports whose period has ended and was not counted. */
function dueOf(
  reports: readonly Report[],
  field: keyof AccuracyDay,
  afterDays: AccuracyPeriod,
  known: Time,
  now: Time,
): Counted[] {
  const done = new Set(
    reports.flatMap(({ accuracy }) =>
      (accuracy?.[field] ?? []).flatMap((one) => (one.afterDays === afterDays ? [one.date] : [])),
    ),
  )
  return reports.flatMap(({ date, asOf, accuracy }) => {
    const at = Date.parse(asOf)
    const hasEnded = at + afterDays * DAY <= known && at > now - OLDEST_MS
    return accuracy === undefined || !hasEnded || done.has(date) ? [] : [{ date, at }]
  })
}

async function countOutcomesOf(
  store: Store,
  { date, at }: Counted,
  afterDays: AccuracyPeriod,
  now: Time,
): Promise<AccuracyCounts[]> {
  const count = createOutcomeCount()
  for await (const { endpoint, verdict, band, terms, isKept, later } of standingOn(store, date, now)) {
    // Reads of SQLite end in the turn in which they began.
    await nextTurn()
    const probes = await readObservations(store, endpoint, { from: at + 1, to: at + afterDays * DAY })
    // What was dropped had been dark for 90 days.
    const outcome = isKept ? observeOutcome(terms, probes) : { live: false, sameTerms: null }
    count.add({ endpoint, verdict, band, ...outcome, avoidAfter: later === 'avoid' })
  }
  return count.counts()
}

async function countPurchasesOf(
  store: Store,
  { date, at }: Counted,
  afterDays: AccuracyPeriod,
  now: Time,
): Promise<DeliveryCounts[]> {
  const settled = (await readPurchasesBetween(store, at, at + afterDays * DAY)).filter(
    (purchase) => purchase.settled,
  )
  if (settled.length === 0) return []
  const bought = groupBy(settled, ({ endpoint }) => endpoint)
  const samples = []
  for await (const { endpoint, verdict, band } of standingOn(store, date, now))
    samples.push({ endpoint, verdict, band, delivered: allDelivered(bought.get(endpoint)) })
  return countDeliveries(samples)
}

const allDelivered = (purchases: readonly Purchase[] | undefined): boolean | null =>
  purchases === undefined ? null : purchases.every(({ delivered }) => delivered)

/** Yields the verdicts that stood with a report, by endpoint. */
async function* standingOn(store: Store, date: string, now: Time): AsyncGenerator<StandingPage[number]> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: StandingPage = await readStandingVerdicts(store, { date, after, limit: PAGE, now })
    yield* page
    after = page.length < PAGE ? undefined : page.at(-1)?.endpoint
  }
}

/** First date of the reports that figures and counts read. */
export const accuracySince = (now: Time): string => toDate(now - 150 * DAY)
