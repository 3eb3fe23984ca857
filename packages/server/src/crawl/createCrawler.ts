import { setTimeout as sleep } from 'node:timers/promises'
import type { Auditor } from '../audit/createAuditor.ts'
import type { Adopted } from '../audit/hostLeases.ts'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import type { CrawlProgress } from '../facts/crawlProgress.ts'
import type { Time } from '../facts/facts.ts'
import { HOUR, MINUTE } from '../facts/times.ts'
import { logFailure } from '../lib/logFailure.ts'
import type { HostLease } from '../store/leases.ts'
import { readDue, readNextDue } from '../store/leases.ts'
import { createProgressKeeper } from './crawlProgress.ts'
import { createLeader, type LeaderParts } from './createLeader.ts'

/** Parts of a crawler. */
export type CrawlParts = LeaderParts & {
  /** Probes an endpoint under the lease of its host, which this process holds. */
  readonly auditor: Pick<Auditor, 'probe'>
  /** Time in ms for which a host is probed before others get their turn. */
  readonly sliceMs: number
  readonly onProgress?: (progress: CrawlProgress) => void
}

type CrawlContext = Pick<Context, 'clock' | 'ids' | 'log' | 'store'> & {
  readonly config: Pick<Config, 'crawlConcurrency' | 'databaseUrl'>
}

/** Probes due endpoints, together with the crawlers of other processes on the same store. */
export type Crawler = {
  /** Crawls until the signal fires, which cancels the current probes: they are due again. */
  run(signal: AbortSignal): Promise<void>
  /** Puts endpoints of a host at the front of the queue, for any process. */
  request(host: string, endpoints: readonly string[]): Promise<void>
  progress(): CrawlProgress
}

/** Minimum pause between two polls for due hosts, and the first pause after the store failed. */
const PAUSE_MS = 1000
/** Longest pause, in ms of the audit's clock; short where other processes may write due endpoints. */
const LONGEST_PAUSE_MS = HOUR / 4
const LONGEST_SHARED_PAUSE_MS = 1000
const LONGEST_RETRY_MS = MINUTE
/** Delay of an endpoint whose probe failed on our side. */
const POSTPONE_MS = HOUR / 4
/** Pause after a slice that ran out, in ms of real time, in which live work of other processes gets the host. */
const YIELD_MS = 200

/**
 * Creates the crawler. It leases due hosts, those that waited longest first, and at most an eighth of the workers are at
 * hosts of one registrable domain. A host is probed for a time slice and then waits behind all others that are due.
 */
export function createCrawler(ctx: CrawlContext, parts: CrawlParts): Crawler {
  const { clock, log, store } = ctx
  const { auditor, hostLeases, onProgress, sliceMs } = parts
  const { crawlConcurrency: concurrency, databaseUrl } = ctx.config
  const longestPauseMs = databaseUrl === null ? LONGEST_PAUSE_MS : LONGEST_SHARED_PAUSE_MS
  const mostPerDomain = Math.max(1, Math.floor(concurrency / 8))
  const keeper = createProgressKeeper(ctx)
  /** Hosts in progress, with their registrable domains. */
  const workers = new Map<Promise<void>, string>()
  let failures = 0
  let waking = new AbortController()

  const wake = () => waking.abort()
  const leader = createLeader(ctx, parts, wake)
  const progress = () => ({ ...leader.progress(), ...keeper.read() })

  const probe = async (endpoint: string, lost: AbortSignal, ending: AbortSignal) => {
    const startedAt = performance.now()
    try {
      keeper.countProbe(await auditor.probe(endpoint, ending), performance.now() - startedAt)
    } catch (error) {
      if (ending.aborted) return
      keeper.countFailure()
      logFailure(log, 'probe', error, endpoint)
      if (!lost.aborted) await store.write('postpone', endpoint, clock.now() + POSTPONE_MS)
    }
    onProgress?.(progress())
  }

  /** Probes the due endpoints of a host in turn. Returns the pause before its worker takes another host. */
  const probeSlice = async ({ lease, signal: lost }: Adopted, ending: AbortSignal): Promise<number> => {
    const endsAt = performance.now() + sliceMs
    for (let isFirst = true; !ending.aborted && !lost.aborted; isFirst = false) {
      // One at a time: live work may have probed the next one meanwhile.
      const [endpoint] = await readDue(store, lease.name, clock.now(), 1)
      // A host that is due with nothing to probe must not be taken again and again.
      if (endpoint === undefined) return isFirst ? PAUSE_MS : 0
      await probe(endpoint, lost, ending)
      if (performance.now() >= endsAt) return YIELD_MS
    }
    return 0
  }

  const work = async (lease: HostLease, ending: AbortSignal) => {
    const release = clock.hold()
    const held = hostLeases.adopt(lease)
    const pauseMs = await probeSlice(held, ending).catch((error: unknown) => {
      logFailure(log, 'due endpoints', error)
      return PAUSE_MS
    })
    await held.leave()
    // A separate signal, since each pause adds a listener.
    const signal = AbortSignal.any([ending])
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    release()
  }

  const startWorkers = async (ending: AbortSignal) => {
    const most = concurrency - workers.size
    if (most === 0 || ending.aborted) return
    const busy = new Map<string, number>()
    for (const domain of workers.values()) busy.set(domain, (busy.get(domain) ?? 0) + 1)
    for (const lease of await store.write('takeHosts', clock.now(), { most, mostPerDomain, busy })) {
      const worker = work(lease, ending).finally(() => {
        workers.delete(worker)
        wake()
      })
      workers.set(worker, lease.domain)
    }
  }

  /** Starts due work. Returns the time of the next run. */
  const turn = async (ending: AbortSignal): Promise<Time> => {
    const release = clock.hold()
    try {
      await leader.attend(ending)
      await startWorkers(ending)
      if (await keeper.recount(workers.size === 0)) onProgress?.(progress())
      failures = 0
      if (workers.size > 0) return clock.now() + PAUSE_MS
      return Math.min(leader.next(), (await readNextDue(store)) ?? Number.POSITIVE_INFINITY)
    } catch (error) {
      logFailure(log, 'due endpoints', error)
      return clock.now() + Math.min(LONGEST_RETRY_MS, PAUSE_MS * 2 ** failures++)
    } finally {
      release()
    }
  }

  const sleepUntil = async (next: Time) => {
    const ms = Math.max(PAUSE_MS, Math.min(longestPauseMs, next - clock.now()))
    await clock.sleep(ms, waking.signal).catch((error: unknown) => {
      if (!waking.signal.aborted) throw error
    })
  }

  return {
    progress,
    async request(host, endpoints) {
      await store.write('putFirst', host, endpoints, clock.now())
      wake()
    },
    async run(signal) {
      signal.addEventListener('abort', wake, { once: true })
      // Each turn has its own signal, so that whatever comes in during a turn ends the pause behind it.
      for (; !signal.aborted; await sleepUntil(await turn(signal))) waking = new AbortController()
      await Promise.all([...workers.keys(), leader.settled()])
    },
  }
}
