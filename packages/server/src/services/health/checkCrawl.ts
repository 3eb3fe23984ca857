import type { CrawlProgress } from '../../facts/crawlProgress.ts'
import { HOUR, MINUTE } from '../../facts/times.ts'
import type { Store } from '../../store/store.ts'
import { readNewestAge, readOldestDue } from '../operation.ts'
import type { Check, Finding } from './createHealth.ts'

type CrawlCheckDeps = {
  readonly store: Store
  readonly progress: () => Pick<CrawlProgress, 'failingSince' | 'directories'>
  /** The audit's clock. */
  readonly now: () => number
}

const EVERY_MS = 10_000
/** Age of the newest verdict, or of a process that has seen none, from which a crawl is stale; with many endpoints, some are due more often. */
const STALE_MS = 6 * HOUR
const BEHIND_MS = HOUR

const seconds = (ms: number) => Math.round(ms / 1000)

/** Checks the crawl of all processes. Its gauges are those of the crawl itself. */
export function checkCrawl({ store, progress, now }: CrawlCheckDeps): Check {
  const startedAt = now()
  return {
    name: 'crawl',
    everyMs: EVERY_MS,
    patienceMs: EVERY_MS,
    unanswered: { level: 'degraded', status: 'unknown' },
    async run() {
      // The crawl itself logs it.
      if (progress().failingSince !== null) return { level: 'degraded', status: 'failing' }
      const [newestMs, dueMs] = await Promise.all([readNewestAge(store, now()), readOldestDue(store, now())])
      if ((newestMs ?? now() - startedAt) > STALE_MS)
        return {
          level: 'degraded',
          status: 'stale',
          sentence:
            newestMs === null
              ? 'nothing was ever probed: does a process crawl, and does a directory list anything?'
              : `the newest verdict is ${seconds(newestMs)} s old: does a process crawl?`,
        }
      if (dueMs > BEHIND_MS)
        return {
          level: 'degraded',
          status: 'behind',
          sentence: `an endpoint is due for ${seconds(dueMs)} s: raise CRAWL_CONCURRENCY or add workers`,
        }
      return { level: 'ok', status: newestMs === null ? 'nothing probed yet' : 'fresh' }
    },
  }
}

type DirectoriesCheckDeps = Pick<CrawlCheckDeps, 'progress'> & {
  /** Number of directories in the settings. */
  readonly configured: number
  /** Whether no other process can read them. */
  readonly isAlone: boolean
}

/** Time in ms after the start in which a process that is alone begins to read. */
const BEGIN_MS = 2 * MINUTE

/** Checks the last readings of the directories, in the process that reads them. */
export function checkDirectories({ progress, configured, isAlone }: DirectoriesCheckDeps): Check {
  const startedAt = performance.now()
  const findUnread = (reading: number): Finding => {
    if (!isAlone) return { level: 'ok', status: 'not read by this process' }
    if (reading > 0) return { level: 'ok', status: 'being read' }
    if (performance.now() - startedAt < BEGIN_MS) return { level: 'ok', status: 'not read yet' }
    const sentence =
      'none was read since the start: is the crawl stuck, or does another process hold its lead?'
    return { level: 'degraded', status: 'not read', sentence }
  }
  return {
    name: 'directories',
    everyMs: EVERY_MS,
    patienceMs: EVERY_MS,
    unanswered: { level: 'degraded', status: 'unknown' },
    async run() {
      const { read, failed, reading } = progress().directories
      if (configured === 0) return { level: 'ok', status: 'none configured' }
      if (read + failed === 0) return findUnread(reading)
      if (failed === 0) return { level: 'ok', status: 'ok' }
      const sentence = `${failed} of ${configured} could not be read, or list nothing that can be used; their earlier listings stay`
      return { level: 'degraded', status: 'failing', sentence }
    },
  }
}
