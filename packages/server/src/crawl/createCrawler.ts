import type { Auditor } from '../audit/createAuditor.ts'
import type { Time } from '../domain/facts/facts.ts'
import { HOUR, MINUTE } from '../domain/facts/times.ts'
import type { Clock } from '../ports/clock.ts'
import type { CrawlProgress } from '../ports/crawlProgress.ts'
import type { Store } from '../ports/store.ts'
import { createProgressKeeper } from './crawlProgress.ts'
import { createDirectoryReader, type DirectoryReaderDeps } from './createDirectoryReader.ts'
import { createDueTaker } from './dueTaker.ts'
import { createTakenHosts } from './takenHosts.ts'

export type CrawlerDeps = DirectoryReaderDeps & {
  readonly auditor: Pick<Auditor, 'look'>
  readonly store: Pick<Store, 'claimDue' | 'nextDue' | 'countDue' | 'summary'>
  readonly clock: Clock
  /** Maximum number of hosts probed in parallel. @default 16 */
  readonly concurrency?: number
  readonly onProgress?: (progress: CrawlProgress) => void
  readonly onLookError?: (endpoint: string, error: unknown) => void
  /** Called when due endpoints cannot be read; the crawl retries. */
  readonly onStoreError?: (error: unknown) => void
  /** Called when probing as a whole begins to fail on our side, and with null when it works again. */
  readonly onFailing?: (since: Time | null) => void
}

export type Crawler = {
  /** Crawls until the signal fires, then finishes the current probes. */
  run(signal: AbortSignal): Promise<void>
  progress(): CrawlProgress
}

/** A crawler that runs in one process. */
export type LocalCrawler = Crawler & {
  /** Puts all known endpoints of a host at the front of the queue. Returns at once. */
  request(host: string): void
}

/** Minimum pause between two looks for due endpoints, by the audit clock. */
const PAUSE_MS = 1000
/** Pause after the store failed. */
const RETRY_MS = MINUTE
/** Maximum pause, since other parts of the process write endpoints too; a new listing ends it early. */
const LONGEST_PAUSE_MS = HOUR / 4

/** Creates the crawler: it probes due endpoints while directories are read, and sleeps until the next one is due. */
export function createCrawler(deps: CrawlerDeps): LocalCrawler {
  const { clock, store, auditor, concurrency = 16 } = deps
  const keeper = createProgressKeeper(clock, deps.onFailing)
  const taken = createTakenHosts()
  const taker = createDueTaker({ store, clock, taken, enough: concurrency, pauseMs: PAUSE_MS })
  /** Hosts requested by callers. */
  const requested = new Set<string>()
  const workers = new Set<Promise<void>>()
  let looking = 0
  let waking = new AbortController()

  const wake = () => waking.abort()
  const reader = createDirectoryReader(deps, () => {
    taker.expectMore()
    wake()
  })
  const progress = () => ({ ...reader.progress(), ...keeper.read() })
  const showDue = () => {
    const { looks, failures } = keeper.read()
    keeper.follow(looks + failures, taker.left() + taken.size() + looking)
  }

  const probe = async (endpoint: string) => {
    const startedAt = performance.now()
    looking++
    try {
      keeper.countLook(await auditor.look(endpoint), performance.now() - startedAt)
    } catch (error) {
      keeper.countFailure()
      deps.onLookError?.(endpoint, error)
    }
    looking--
    showDue()
    deps.onProgress?.(progress())
  }

  const work = async (signal: AbortSignal) => {
    const release = clock.hold()
    try {
      for (let host = taken.start(); host !== undefined && !signal.aborted; host = taken.start()) {
        for (let endpoint = taken.next(host); endpoint !== undefined; endpoint = taken.next(host)) {
          await probe(endpoint)
          if (signal.aborted) return
        }
        if (taken.waiting() < concurrency) wake()
      }
    } finally {
      release()
    }
  }
  const startWorkers = (signal: AbortSignal) => {
    for (let free = Math.min(taken.waiting(), concurrency - workers.size); free > 0; free--) {
      const worker = work(signal).finally(() => {
        workers.delete(worker)
        wake()
      })
      workers.add(worker)
    }
  }

  const takeRequested = async () => {
    for (const host of requested) {
      requested.delete(host)
      const { endpoints = [] } = (await store.summary(host)) ?? {}
      taken.addFirst(
        host,
        endpoints.map(({ endpoint }) => endpoint),
      )
    }
  }

  /** Starts what is due. Returns when to do so again. */
  const turn = async (signal: AbortSignal): Promise<Time> => {
    const release = clock.hold()
    try {
      reader.begin(signal)
      await takeRequested()
      await taker.take()
      showDue()
      if (!signal.aborted) startWorkers(signal)
      if (workers.size > 0) return clock.now() + PAUSE_MS
      return Math.min(reader.next(), (await store.nextDue('looks')) ?? Number.POSITIVE_INFINITY)
    } catch (error) {
      deps.onStoreError?.(error)
      taker.expectMore()
      return clock.now() + RETRY_MS
    } finally {
      release()
    }
  }

  const sleepUntil = async (next: Time) => {
    const ms = Math.min(LONGEST_PAUSE_MS, Math.max(PAUSE_MS, next - clock.now()))
    try {
      await clock.sleep(ms, waking.signal)
    } catch (error) {
      if (!waking.signal.aborted) throw error
    }
  }

  return {
    progress,
    request(host) {
      requested.add(host)
      wake()
    },
    async run(signal) {
      signal.addEventListener('abort', wake, { once: true })
      // Each turn has its own signal, so that whatever comes in during a turn ends the pause behind it.
      for (; !signal.aborted; await sleepUntil(await turn(signal))) waking = new AbortController()
      await Promise.all(workers)
      await reader.settled()
    },
  }
}
