import { DAY, HOUR, toDate } from '../facts/times.ts'
import type { Clock } from '../lib/clock.ts'
import { repeat } from '../lib/repeat.ts'
import { describeReported } from '../publish/accuracy/reported.ts'
import { describeReport } from '../publish/report.ts'
import { describeTally } from '../publish/tally.ts'
import { readReports } from '../store/facts.ts'
import { readChanges, readIncidents } from '../store/feeds.ts'
import type { Store } from '../store/store.ts'
import { accuracySince, type SettlingStore, settleAccuracy } from './settleAccuracy.ts'

export type ReporterDeps = {
  readonly store: SettlingStore & Store
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  readonly onError?: (error: unknown) => void
}

/** Writes the daily reports. */
export type Reporter = {
  /** Writes today's report unless it exists. Returns false if there are no hosts yet to report of. */
  reportToday(): Promise<boolean>
  /** Writes a report now and at the start of each day (UTC) until the signal fires. */
  run(signal: AbortSignal): Promise<void>
}

/** Interval of retries while today's report is missing. */
const RETRY_MS = HOUR
const ALL = Number.MAX_SAFE_INTEGER

/** Creates the reporter. */
export function createReporter({ store, clock, newId, onError }: ReporterDeps): Reporter {
  const reportToday = async () => {
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
    await store.write('append', [{ kind: 'report', id: newId('rep'), at: now, report }])
    return true
  }

  const tryToday = () =>
    reportToday().catch((error: unknown) => {
      onError?.(error)
      return false
    })
  const pauseAfter = (isDone: boolean) => {
    const untilTomorrow = DAY - (clock.now() % DAY)
    return isDone ? untilTomorrow : Math.min(RETRY_MS, untilTomorrow)
  }
  return { reportToday, run: (signal) => repeat(clock, tryToday, pauseAfter, signal) }
}
