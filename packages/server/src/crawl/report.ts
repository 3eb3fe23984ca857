import { DAY, HOUR, toDate } from '../domain/facts/times.ts'
import { describeReport } from '../domain/publish/report.ts'
import { tallyHosts } from '../domain/publish/tally.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/oldStore.ts'
import { createBreathe } from '../readModel/createBreathe.ts'
import type { ReadModel } from '../readModel/createReadModel.ts'
import { repeat } from './repeat.ts'

export type ReporterDeps = {
  readonly store: Pick<Store, 'append' | 'reports' | 'incidents' | 'changes'>
  readonly readModel: Pick<ReadModel, 'hosts'>
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  readonly onError?: (error: unknown) => void
}

/** Writes the daily reports. */
export type Reporter = {
  /** Writes today's report unless it exists or there are no hosts. Returns whether it did. */
  reportToday(): Promise<boolean>
  /** Writes a report now and at the start of each day (UTC) until the signal fires. */
  run(signal: AbortSignal): Promise<void>
}

/** Interval of retries while today's report is missing. */
const RETRY_MS = HOUR
const ALL = Number.MAX_SAFE_INTEGER

/** Creates the reporter. */
export function createReporter({ store, readModel, clock, newId, onError }: ReporterDeps): Reporter {
  const isReported = async () => (await store.reports()).at(-1)?.date === toDate(clock.now())

  const reportToday = async () => {
    const hosts = readModel.hosts()
    if (hosts.length === 0 || (await isReported())) return false
    const now = clock.now()
    const [incidents, changes] = await Promise.all([
      store.incidents({ since: 0, limit: ALL }),
      store.changes({ since: now - DAY, limit: ALL }),
    ])
    const tally = await tallyHosts(hosts, now, createBreathe())
    const report = describeReport({ tally, incidents: incidents.records, changes: changes.records })
    await store.append([{ kind: 'report', id: newId('rep'), at: now, report }])
    return true
  }

  const tryToday = async () => {
    try {
      await reportToday()
      return await isReported()
    } catch (error) {
      onError?.(error)
      return false
    }
  }
  const pauseAfter = (isDone: boolean) => {
    const untilTomorrow = DAY - (clock.now() % DAY)
    return isDone ? untilTomorrow : Math.min(RETRY_MS, untilTomorrow)
  }
  return { reportToday, run: (signal) => repeat(clock, tryToday, pauseAfter, signal) }
}
