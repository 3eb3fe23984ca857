import { setTimeout as sleep } from 'node:timers/promises'
import type { CrawlHandler, CrawlQueue } from '../ports/crawlQueue.ts'
import type { Store } from '../ports/store.ts'
import { createProgressKeeper } from './crawlProgress.ts'
import type { Crawler, CrawlerDeps } from './createCrawler.ts'
import { createDirectoryReader } from './createDirectoryReader.ts'
import { createPlanner } from './planTasks.ts'

export type SharedCrawlerDeps = Omit<CrawlerDeps, 'concurrency' | 'onStoreError'> & {
  readonly store: Pick<Store, 'state'>
  readonly queue: CrawlQueue
  /** Further work of the leader; ends when the signal fires. */
  readonly lead?: (signal: AbortSignal) => Promise<unknown>
}

/** A crawler that shares its work with other processes. */
export type SharedCrawler = Crawler & {
  /** Puts all known endpoints of a host at the front of the shared queue. */
  request(host: string): Promise<void>
}

/** Lock name of the leader; not a valid host. */
const LEADER = ':leader'
/** Interval of planning. */
const PLAN_EVERY_MS = 1000

/**
 * Creates a crawler that shares its work with other processes. All of them probe hosts; one of them, the leader, also
 * reads the directories and queues due work. Another takes over if the leader dies.
 */
export function createSharedCrawler(deps: SharedCrawlerDeps): SharedCrawler {
  const { auditor, clock, store, queue } = deps
  const keeper = createProgressKeeper(clock, deps.onFailing)
  const openReader = () => createDirectoryReader(deps)
  let reader = openReader()
  const progress = () => ({ ...reader.progress(), ...keeper.read() })

  const probe = async (endpoint: string) => {
    const startedAt = performance.now()
    try {
      keeper.countLook(await auditor.look(endpoint), performance.now() - startedAt)
    } catch (error) {
      keeper.countFailure()
      deps.onLookError?.(endpoint, error)
    }
    deps.onProgress?.(progress())
  }

  /** Checked again, since an endpoint may be queued a second time while it waits. */
  const isDue = async (endpoint: string) => {
    const known = await store.state(endpoint)
    return known === undefined || known.state.nextProbeAt <= clock.now()
  }

  const handle =
    (ending: AbortSignal): CrawlHandler =>
    async ({ endpoints, isAsked }, lost) => {
      for (const endpoint of endpoints) {
        // Throwing returns the work to the queue.
        ending.throwIfAborted()
        lost.throwIfAborted()
        if (isAsked || (await isDue(endpoint))) await probe(endpoint)
      }
    }

  const readDirectories = async (signal: AbortSignal) => {
    // A new reader, since another process may have led in between.
    reader = openReader()
    for (; !signal.aborted; await pause(signal)) reader.begin(signal)
    await reader.settled()
  }

  const plan = async (signal: AbortSignal) => {
    const planner = createPlanner(deps)
    for (; !signal.aborted; await pause(signal)) {
      const { handled, due } = await planner.plan()
      keeper.follow(handled, due)
    }
  }

  const lead = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      try {
        await queue.alone(
          LEADER,
          (lost) => leadUntil(AbortSignal.any([signal, lost]), readDirectories, plan, deps.lead),
          signal,
        )
      } catch (error) {
        if (!signal.aborted) deps.onError?.('queue', error)
        await pause(signal)
      } finally {
        keeper.leave()
      }
    }
  }

  return {
    progress,
    async request(host) {
      const endpoints = ((await store.summary(host))?.endpoints ?? []).map(({ endpoint }) => endpoint)
      if (endpoints.length > 0) await queue.offer([{ host, endpoints, isAsked: true }])
    },
    async run(signal) {
      await queue.work(handle(signal))
      await lead(signal)
    },
  }
}

type Duty = (signal: AbortSignal) => Promise<unknown>

/** Runs all duties until the signal fires. If one fails, the others are aborted too. */
async function leadUntil(signal: AbortSignal, ...duties: (Duty | undefined)[]): Promise<void> {
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  const done = duties.map((duty) =>
    duty?.(either).catch((error: unknown) => {
      failed.abort()
      throw error
    }),
  )
  const results = await Promise.allSettled(done)
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** Uses real time, the only clock that processes share. */
const pause = (signal: AbortSignal) => sleep(PLAN_EVERY_MS, undefined, { signal }).catch(() => undefined)
