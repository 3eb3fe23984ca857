import { DAY, HOUR, toDate } from '../domain/facts/times.ts'
import { describeReport } from '../domain/publish/report.ts'
import { tallyHosts } from '../domain/publish/tally.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { createBreathe } from '../readModel/createBreathe.ts'
import type { ReadModel } from '../readModel/createReadModel.ts'

export type ReporterDeps = {
  readonly store: Pick<Store, 'append' | 'reports' | 'incidents' | 'changes'>
  readonly readModel: Pick<ReadModel, 'hosts'>
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  readonly onError?: (error: unknown) => void
}

/** Keeps the series of daily reports. */
export type Reporter = {
  /** Makes the report of today where there is none yet; says whether it did. Nothing is reported of nothing. */
  reportToday(): Promise<boolean>
  /** Does so now and at the beginning of every day (UTC) until the signal fires. */
  run(signal: AbortSignal): Promise<void>
}

/** A day that could not be reported yet is tried again this often. */
const RETRY_MS = HOUR
const ALL = Number.MAX_SAFE_INTEGER

/** Makes the reporter. */
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

  const tick = async () => {
    const release = clock.hold()
    try {
      await reportToday()
      return await isReported()
    } catch (error) {
      onError?.(error)
      return false
    } finally {
      release()
    }
  }

  return {
    reportToday,
    async run(signal) {
      while (!signal.aborted) {
        const isDone = await tick()
        const now = clock.now()
        const tomorrow = (Math.floor(now / DAY) + 1) * DAY - now
        try {
          await clock.sleep(isDone ? tomorrow : Math.min(RETRY_MS, tomorrow), signal)
        } catch (error) {
          if (!signal.aborted) throw error
        }
      }
    },
  }
}
