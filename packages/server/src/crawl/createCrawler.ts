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
  /** How many hosts are looked at side by side. @default 16 */
  readonly concurrency?: number
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
/** The longest one: what directories list meanwhile ends it. */
const LONGEST_PAUSE_MS = 6 * HOUR
/** How long a failed look waits for the next try. */
const RETRY_MS = HOUR / 4

/** Makes the crawler: looks at what is due while the directories are read, and sleeps until something is. */
export function createCrawler(deps: CrawlerDeps): LocalCrawler {
  const { clock, readModel, auditor, concurrency = 16 } = deps
  const keeper = createProgressKeeper(clock)
  /** What the read model does not hold yet, and what could not be looked at. */
  const waiting = createSchedule()
  /** Hosts that somebody asked to have looked at. */
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

  /** The endpoints of a host that somebody asked for. */
  const takeRequested = (): readonly string[] | undefined => {
    const [host] = requested
    if (host === undefined) return undefined
    requested.delete(host)
    const endpoints = (readModel.host(host)?.endpoints ?? []).map(({ endpoint }) => endpoint)
    round.total += endpoints.length
    showRound()
    return endpoints
  }

  const lookAtDue = async (signal: AbortSignal) => {
    const hosts = [...findDue(clock.now()).values()]
    round.looked = 0
    round.total = hosts.reduce((sum, endpoints) => sum + endpoints.length, 0)
    showRound()
    const next = () => takeRequested() ?? hosts.pop()
    const worker = async () => {
      for (let endpoints = next(); endpoints !== undefined && !signal.aborted; endpoints = next()) {
        for (const endpoint of endpoints) if (!signal.aborted) await lookAt(endpoint)
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
          await lookAtDue(signal)
        } finally {
          release()
        }
        await sleepUntil(Math.min(reader.next(), waiting.next(), readModel.schedule.next(waiting)), signal)
      }
      await reader.settled()
    },
  }
}
