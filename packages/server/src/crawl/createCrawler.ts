import type { Auditor } from '../audit/createAuditor.ts'
import { HOUR } from '../domain/facts/times.ts'
import type { Clock } from '../ports/clock.ts'
import type { CrawlProgress } from '../ports/crawlProgress.ts'
import type { ReadModel } from '../readModel/createReadModel.ts'
import { createSchedule } from '../readModel/createSchedule.ts'
import { createProgressKeeper } from './crawlProgress.ts'
import { createDirectoryReader, type DirectoryReaderDeps } from './createDirectoryReader.ts'

export type CrawlerDeps = DirectoryReaderDeps & {
  readonly auditor: Auditor
  readonly readModel: ReadModel
  readonly clock: Clock
  /** Maximum number of hosts probed in parallel. @default 16 */
  readonly concurrency?: number
  readonly onProgress?: (progress: CrawlProgress) => void
  readonly onLookError?: (endpoint: string, error: unknown) => void
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

/** Minimum pause between two rounds, by the audit clock. */
const PAUSE_MS = 1000
/** Maximum pause between two rounds; a new listing ends it early. */
const LONGEST_PAUSE_MS = 6 * HOUR
/** Retry delay after a probe that threw. */
const RETRY_MS = HOUR / 4

/** Creates the crawler: it probes due endpoints while directories are read, and sleeps until the next one is due. */
export function createCrawler(deps: CrawlerDeps): LocalCrawler {
  const { clock, readModel, auditor, concurrency = 16 } = deps
  const keeper = createProgressKeeper(clock)
  /** Endpoints that the read model does not hold yet, and retries. */
  const waiting = createSchedule()
  /** Hosts requested by callers. */
  const requested = new Set<string>()
  const round = { looked: 0, total: 0 }
  let waking = new AbortController()

  const reader = createDirectoryReader(deps, (found) => {
    for (const { endpoint, host } of found) {
      if (readModel.schedule.has(endpoint) || waiting.has(endpoint)) continue
      waiting.set(endpoint, host, clock.now())
      waking.abort()
    }
  })
  const progress = () => ({ ...reader.progress(), ...keeper.read() })
  const showRound = () => {
    keeper.setDue(round.total - round.looked)
    keeper.setRound(round.looked, round.total)
  }

  /** Due endpoints by host; a waiting retry overrides the read model's schedule. */
  const findDue = (now: number) => {
    const due = readModel.schedule.due(now, waiting)
    for (const [host, endpoints] of waiting.due(now)) {
      due.set(host, [...(due.get(host) ?? []), ...endpoints])
    }
    return due
  }

  const probe = async (endpoint: string) => {
    try {
      await auditor.look(endpoint)
      waiting.delete(endpoint)
      keeper.countLook(true)
    } catch (error) {
      waiting.set(endpoint, new URL(endpoint).host, clock.now() + RETRY_MS)
      keeper.countLook(false)
      deps.onLookError?.(endpoint, error)
    }
    round.looked++
    showRound()
    deps.onProgress?.(progress())
  }

  const takeRequested = (): readonly string[] | undefined => {
    const [host] = requested
    if (host === undefined) return undefined
    requested.delete(host)
    const endpoints = (readModel.host(host)?.endpoints ?? []).map(({ endpoint }) => endpoint)
    round.total += endpoints.length
    showRound()
    return endpoints
  }

  const probeDue = async (signal: AbortSignal) => {
    const hosts = [...findDue(clock.now()).values()]
    round.looked = 0
    round.total = hosts.reduce((sum, endpoints) => sum + endpoints.length, 0)
    showRound()
    const next = () => takeRequested() ?? hosts.pop()
    const worker = async () => {
      for (let endpoints = next(); endpoints !== undefined && !signal.aborted; endpoints = next()) {
        for (const endpoint of endpoints) if (!signal.aborted) await probe(endpoint)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
  }

  const sleepUntil = async (next: number, signal: AbortSignal) => {
    waking = new AbortController()
    if (signal.aborted || requested.size > 0) return
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
      waking.abort()
    },
    async run(signal) {
      signal.addEventListener('abort', () => waking.abort(), { once: true })
      while (!signal.aborted) {
        const release = clock.hold()
        try {
          reader.begin(signal)
          await probeDue(signal)
        } finally {
          release()
        }
        await sleepUntil(Math.min(reader.next(), waiting.next(), readModel.schedule.next(waiting)), signal)
      }
      await reader.settled()
    },
  }
}
