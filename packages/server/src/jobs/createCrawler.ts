import { setImmediate as nextTurn } from 'node:timers/promises'
import { HOUR } from '../domain/spec.ts'
import type { Clock } from '../ports/clock.ts'
import type { ReadModel } from '../readModel/createReadModel.ts'
import { createSchedule } from '../readModel/createSchedule.ts'
import type { Auditor } from './createAuditor.ts'
import { type DiscoverDeps, discover } from './discover.ts'

/** What the crawl has done so far. */
export type CrawlProgress = {
  readonly discoveries: number
  readonly listed: number
  readonly rejectedRows: number
  readonly looks: number
  readonly failures: number
  /** Endpoints that wait to be looked at now. */
  readonly due: number
  readonly lastLookAt: number | null
}

export type CrawlerDeps = DiscoverDeps & {
  readonly auditor: Auditor
  readonly readModel: ReadModel
  readonly clock: Clock
  /** How many hosts are looked at side by side. @default 16 */
  readonly concurrency?: number
  /** How often directories are read, in milliseconds. @default 6 h */
  readonly discoverEveryMs?: number
  readonly onProgress?: (progress: CrawlProgress) => void
  readonly onLookError?: (endpoint: string, error: unknown) => void
}

export type Crawler = {
  /** Crawls until the signal fires; what is under way is finished. */
  run(signal: AbortSignal): Promise<void>
  progress(): CrawlProgress
}

/** A crawler that has its hosts to itself. */
export type LocalCrawler = Crawler & {
  /** Looks at every known endpoint of a host before anything else. Returns at once. */
  request(host: string): void
}

/** The shortest pause between two rounds, by the audit's clock. */
const PAUSE_MS = 1000
/** So many endpoints of the directories are taken in at once. */
const PER_TURN = 1000
/** How long a failed look waits for the next try. */
const RETRY_MS = HOUR / 4

/** Makes the crawler: reads the directories, looks at what is due, sleeps until something is. */
export function createCrawler(deps: CrawlerDeps): LocalCrawler {
  const { clock, readModel, auditor, concurrency = 16, discoverEveryMs = 6 * HOUR } = deps
  const progress = {
    discoveries: 0,
    listed: 0,
    rejectedRows: 0,
    looks: 0,
    failures: 0,
    due: 0,
    lastLookAt: null as number | null,
  }
  /** What the read model does not hold yet, and what could not be looked at. */
  const waiting = createSchedule()
  let nextDiscovery = clock.now()
  /** Hosts that somebody asked to have looked at. */
  const requested = new Set<string>()
  let waking = new AbortController()

  const readDirectories = async (signal: AbortSignal) => {
    const found = await discover(deps, signal)
    progress.discoveries++
    progress.listed = found.listed
    progress.rejectedRows += found.rejected
    let count = 0
    for (const endpoint of found.endpoints) {
      if (!readModel.schedule.has(endpoint) && !waiting.has(endpoint))
        waiting.set(endpoint, new URL(endpoint).host, clock.now())
      if (++count % PER_TURN === 0) await nextTurn()
    }
    nextDiscovery = clock.now() + discoverEveryMs
  }

  /** What is due by host; a retry that waits goes before what the read model says. */
  const findDue = (now: number) => {
    const due = readModel.schedule.due(now, waiting)
    for (const [host, endpoints] of waiting.due(now)) {
      due.set(host, [...(due.get(host) ?? []), ...endpoints])
    }
    return due
  }

  const lookAt = async (endpoint: string) => {
    try {
      await auditor.look(endpoint)
      waiting.delete(endpoint)
      progress.looks++
      progress.lastLookAt = clock.now()
    } catch (error) {
      waiting.set(endpoint, new URL(endpoint).host, clock.now() + RETRY_MS)
      progress.failures++
      deps.onLookError?.(endpoint, error)
    }
    progress.due--
    deps.onProgress?.({ ...progress })
  }

  /** The endpoints of a host that somebody asked for. */
  const takeRequested = (): readonly string[] | undefined => {
    const [host] = requested
    if (host === undefined) return undefined
    requested.delete(host)
    const endpoints = (readModel.host(host)?.endpoints ?? []).map(({ endpoint }) => endpoint)
    progress.due += endpoints.length
    return endpoints
  }

  const lookAtDue = async (signal: AbortSignal) => {
    const hosts = [...findDue(clock.now()).values()]
    progress.due = hosts.reduce((sum, endpoints) => sum + endpoints.length, 0)
    const next = () => takeRequested() ?? hosts.pop()
    const worker = async () => {
      for (let endpoints = next(); endpoints !== undefined && !signal.aborted; endpoints = next()) {
        for (const endpoint of endpoints) if (!signal.aborted) await lookAt(endpoint)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
  }

  return {
    progress: () => ({ ...progress }),
    request(host) {
      requested.add(host)
      waking.abort()
    },
    async run(signal) {
      signal.addEventListener('abort', () => waking.abort(), { once: true })
      while (!signal.aborted) {
        const release = clock.hold()
        try {
          if (clock.now() >= nextDiscovery) await readDirectories(signal)
          await lookAtDue(signal)
        } finally {
          release()
        }
        const next = Math.min(nextDiscovery, waiting.next(), readModel.schedule.next(waiting))
        waking = new AbortController()
        if (signal.aborted || requested.size > 0) continue
        try {
          await clock.sleep(Math.max(PAUSE_MS, next - clock.now()), waking.signal)
        } catch (error) {
          if (!waking.signal.aborted) throw error
        }
      }
    },
  }
}
