import type { Context } from '../context.ts'
import type { CrawlProgress } from '../facts/crawlProgress.ts'
import { HOUR } from '../facts/times.ts'
import type { AnswerCache, CacheStats } from '../http/free/answerCache.ts'
import { readNewestAt } from '../store/endpoints.ts'
import { readNextDue } from '../store/leases.ts'
import type { Store } from '../store/store.ts'
import type { Scope } from './scope.ts'

/** Size and use of storage and crawl, for operators. */
export type Operation = {
  /** Size of the store on disk. */
  readonly diskBytes: number
  /** Free answers from the cache, and made, since the start; and the memory of the cached ones. */
  readonly cache: CacheStats
  /** How long the host that has waited longest waits for its turn, in ms; 0 if none waits. */
  readonly oldestDueMs: number
  /** Age of the newest document in ms; null without any. */
  readonly newestAgeMs: number | null
  /** Duration of the slowest probe within the last five minutes, in ms; null without any. */
  readonly slowestProbeMs: number | null
}

/** Parts whose state is shown. */
export type OperationDeps = {
  readonly store: Store
  readonly cache: Pick<AnswerCache, 'stats'>
}

/** Logs the state of storage and crawl now and each hour, until the process stops. */
export function logOperation(
  { every }: Scope,
  { store, clock, log }: Context,
  cache: AnswerCache,
  crawl: () => CrawlProgress,
): void {
  every(HOUR, 'state of storage', async () => {
    const operation = await readOperation({ store, cache }, crawl(), clock.now())
    log('info', describeOperation(operation), { event: 'state', ...operation })
  })
}

/** Reads the current numbers. */
export async function readOperation(
  { store, cache }: OperationDeps,
  { slowestProbeMs }: Pick<CrawlProgress, 'slowestProbeMs'>,
  now: number,
): Promise<Operation> {
  const [diskBytes, oldestDueMs, newestAgeMs] = await Promise.all([
    store.diskBytes(),
    readOldestDue(store, now),
    readNewestAge(store, now),
  ])
  return { diskBytes, cache: cache.stats(), oldestDueMs, newestAgeMs, slowestProbeMs }
}

/** Reads how long the host that has waited longest waits for its turn, in ms; 0 if none waits. */
export async function readOldestDue(store: Store, now: number): Promise<number> {
  return Math.max(0, now - ((await readNextDue(store)) ?? now))
}

/** Reads the age of the newest judgement in ms; null without any. */
export async function readNewestAge(store: Store, now: number): Promise<number | null> {
  const newest = await readNewestAt(store)
  return newest === null ? null : Math.max(0, now - newest)
}

/** Returns one line for the log. */
export function describeOperation(operation: Operation): string {
  const { diskBytes, cache, oldestDueMs, newestAgeMs, slowestProbeMs } = operation
  const reads = cache.hits + cache.misses
  const hitRate =
    reads === 0 ? 'unused' : `${((100 * cache.hits) / reads).toFixed(1)} % of ${reads} calls hit`
  return [
    `store: ${toMegabytes(diskBytes)} MB on disk`,
    `answer cache: ${hitRate}, ${toMegabytes(cache.bytes)} MB`,
    `newest verdict: ${newestAgeMs === null ? 'none' : `${toSeconds(newestAgeMs)} s old`}`,
    `oldest due endpoint: ${oldestDueMs === 0 ? 'none' : `due for ${toSeconds(oldestDueMs)} s`}`,
    `slowest probe: ${slowestProbeMs === null ? 'none' : `${toSeconds(slowestProbeMs)} s`}`,
  ].join('; ')
}

const toMegabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1)
const toSeconds = (ms: number) => (ms / 1000).toFixed(1)
