import { setTimeout as sleep } from 'node:timers/promises'
import { HOUR } from '../domain/facts/times.ts'
import type { CrawlHandler, CrawlQueue } from '../ports/crawlQueue.ts'
import { createProgressKeeper } from './crawlProgress.ts'
import type { Crawler, CrawlerDeps } from './createCrawler.ts'
import { createDirectoryReader } from './createDirectoryReader.ts'

export type SharedCrawlerDeps = Omit<CrawlerDeps, 'concurrency'> & {
  readonly queue: CrawlQueue
  /** Further work that one process at a time does for all; it ends when the signal fires. */
  readonly lead?: (signal: AbortSignal) => Promise<unknown>
}

/** A crawler of which other processes have a share. */
export type SharedCrawler = Crawler & {
  /** Puts every known endpoint of a host before all other work, whichever process crawls. */
  request(host: string): Promise<void>
}

/** What the planner's turn is taken as; no host has such a name. */
const LEADER = ':leader'
/** How often what is due is looked for. */
const PLAN_EVERY_MS = 1000
/** Work that was put up and not done is put up again after this time. */
const OFFER_AGAIN_MS = HOUR / 4

/**
 * Makes a crawler that shares its work with those of other processes. All of them look at hosts; one at a time also
 * reads the directories and puts up what is due, and another takes over where that one dies.
 */
export function createSharedCrawler(deps: SharedCrawlerDeps): SharedCrawler {
  const { auditor, clock, readModel, queue } = deps
  const keeper = createProgressKeeper(clock)
  /** Listed and never looked at, so due; with their hosts. */
  const listed = new Map<string, string>()
  const openReader = () =>
    createDirectoryReader(deps, (found) => {
      for (const { endpoint, host } of found)
        if (!readModel.schedule.has(endpoint)) listed.set(endpoint, host)
    })
  let reader = openReader()
  const progress = () => ({ ...reader.progress(), ...keeper.read() })

  const lookAt = async (endpoint: string) => {
    try {
      await auditor.look(endpoint)
      keeper.countLook(true)
    } catch (error) {
      keeper.countLook(false)
      deps.onLookError?.(endpoint, error)
    }
    deps.onProgress?.(progress())
  }

  /** Work may be put up a second time while it is done, so what counts is what the store says by now. */
  const isDue = (host: string, endpoint: string) => {
    const known = readModel.host(host)?.endpoints.find((state) => state.endpoint === endpoint)
    return known === undefined || known.nextProbeAt <= clock.now()
  }

  const handle =
    (ending: AbortSignal): CrawlHandler =>
    async ({ host, endpoints, isAsked }, lost) => {
      await readModel.refresh(host)
      for (const endpoint of endpoints) {
        // Rejecting gives the work back.
        ending.throwIfAborted()
        lost.throwIfAborted()
        if (isAsked || isDue(host, endpoint)) await lookAt(endpoint)
      }
    }

  const readDirectories = async (signal: AbortSignal) => {
    // Anew: where another process has led meanwhile, nobody here knows what it has read.
    reader = openReader()
    for (; !signal.aborted; await pause(signal)) reader.begin(signal)
    await reader.settled()
  }

  const findDue = (now: number) => {
    const due = readModel.schedule.due(now)
    for (const [endpoint, host] of listed) {
      const known = due.get(host)
      if (readModel.schedule.has(endpoint)) listed.delete(endpoint)
      else if (known === undefined) due.set(host, [endpoint])
      else known.push(endpoint)
    }
    return due
  }

  const plan = async (signal: AbortSignal) => {
    /** When each endpoint that waits was put up. */
    const offered = new Map<string, number>()
    let round: ReadonlySet<string> = new Set()
    for (; !signal.aborted; await pause(signal)) {
      const now = clock.now()
      const due = findDue(now)
      const waiting = new Set([...due.values()].flat())
      round = followRound(round, waiting)
      for (const endpoint of offered.keys()) if (!waiting.has(endpoint)) offered.delete(endpoint)
      const isNew = (endpoint: string) => now - (offered.get(endpoint) ?? 0) >= OFFER_AGAIN_MS
      // A host's work is replaced as a whole.
      const tasks = [...due]
        .filter(([, endpoints]) => endpoints.some(isNew))
        .map(([host, endpoints]) => ({ host, endpoints }))
      await queue.offer(tasks)
      for (const { endpoints } of tasks) for (const endpoint of endpoints) offered.set(endpoint, now)
    }
  }

  /** Shows how far the round is; one that is over is followed by all that waits now. */
  const followRound = (round: ReadonlySet<string>, waiting: ReadonlySet<string>) => {
    keeper.setDue(waiting.size)
    let left = 0
    for (const endpoint of round) if (waiting.has(endpoint)) left++
    if (round.size > 0) keeper.setRound(round.size - left, round.size)
    if (left > 0) return round
    keeper.setRound(0, waiting.size)
    return waiting
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
      const endpoints = (readModel.host(host)?.endpoints ?? []).map(({ endpoint }) => endpoint)
      if (endpoints.length > 0) await queue.offer([{ host, endpoints, isAsked: true }])
    },
    async run(signal) {
      await queue.work(handle(signal))
      await lead(signal)
    },
  }
}

type Duty = (signal: AbortSignal) => Promise<unknown>

/** Does both until the signal fires; where one fails, the other is ended too and somebody may begin anew. */
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

/** Real time: processes that share their work share no other clock. */
const pause = (signal: AbortSignal) => sleep(PLAN_EVERY_MS, undefined, { signal }).catch(() => undefined)
