import type { Context } from '../context.ts'
import { DAY, HOUR, toDate } from '../facts/times.ts'
import { logFailure } from '../lib/logFailure.ts'
import { repeat } from '../lib/repeat.ts'
import { describeReported } from '../publish/accuracy/reported.ts'
import { describeReport } from '../publish/report.ts'
import { describeTally } from '../publish/tally.ts'
import { readReports } from '../store/facts.ts'
import { readChanges, readIncidents } from '../store/feeds.ts'
import { accuracySince, settleAccuracy } from './settleAccuracy.ts'

/** Interval of retries while today's report is missing. */
const RETRY_MS = HOUR
const ALL = Number.MAX_SAFE_INTEGER

/** Writes today's report unless it exists. Returns false if there are no hosts yet to report of. */
export async function reportToday({
  clock,
  ids,
  store,
}: Pick<Context, 'clock' | 'ids' | 'store'>): Promise<boolean> {
  const now = clock.now()
  const known = await readReports(store, accuracySince(now))
  // A clock that was ahead may have left later ones.
  if (known.some(({ date }) => date === toDate(now))) return true
  // The count may be of a minute ago, and so of yesterday.
  const tally = { ...describeTally(await store.totals(now)), now }
  if (tally.hosts === 0) return false
  // Of the last 24 hours, without their first millisecond.
  const since = now - DAY + 1
  const [open, recent, changes] = await Promise.all([
    readIncidents(store, { since: 0, limit: 0, open: true }),
    readIncidents(store, { since, limit: 0 }),
    readChanges(store, { since, limit: ALL }),
  ])
  const incidents = { open: open.total, recent: recent.total }
  const accuracy = await settleAccuracy(store, known, now)
  const counted = known.flatMap((earlier) => earlier.accuracy ?? [])
  const report = {
    ...describeReport({ tally, incidents, changes: changes.records }),
    accuracy,
    accuracyFigures: describeReported([...counted, accuracy]),
  }
  await store.write('append', [{ kind: 'report', id: ids.newId('rep'), at: now, report }])
  return true
}

/** Writes a report now and at the start of each day (UTC) until the signal fires. */
export async function writeReports(
  ctx: Pick<Context, 'clock' | 'ids' | 'log' | 'store'>,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = ctx
  const tryToday = () =>
    reportToday(ctx).catch((error: unknown) => {
      logFailure(log, 'report', error)
      return false
    })
  const pauseAfter = (isDone: boolean) => {
    const untilTomorrow = DAY - (clock.now() % DAY)
    return isDone ? untilTomorrow : Math.min(RETRY_MS, untilTomorrow)
  }
  await repeat(clock, tryToday, pauseAfter, signal)
}
