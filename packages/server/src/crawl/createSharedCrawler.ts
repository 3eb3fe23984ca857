import { setTimeout as sleep } from 'node:timers/promises'
import { HOUR } from '../domain/facts/times.ts'
import type { CrawlHandler, CrawlQueue } from '../ports/crawlQueue.ts'
import { createProgressKeeper } from './crawlProgress.ts'
import type { Crawler, CrawlerDeps } from './createCrawler.ts'
import { createDirectoryReader } from './createDirectoryReader.ts'

export type SharedCrawlerDeps = Omit<CrawlerDeps, 'concurrency'> & {
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
/** Time after which unfinished work is offered again. */
const OFFER_AGAIN_MS = HOUR / 4

/**
 * Creates a crawler that shares its work with other processes. All of them probe hosts; one of them, the leader, also
 * reads the directories and queues due work. Another takes over if the leader dies.
 */
export function createSharedCrawler(deps: SharedCrawlerDeps): SharedCrawler {
  const { auditor, clock, readModel, queue } = deps
  const keeper = createProgressKeeper(clock)
  /** Hosts of listed endpoints that were never probed, by endpoint. */
  const listed = new Map<string, string>()
  const openReader = () =>
    createDirectoryReader(deps, (found) => {
      for (const { endpoint, host } of found)
        if (!readModel.schedule.has(endpoint)) listed.set(endpoint, host)
    })
  let reader = openReader()
  const progress = () => ({ ...reader.progress(), ...keeper.read() })

  const probe = async (endpoint: string) => {
    try {
      await auditor.look(endpoint)
      keeper.countLook(true)
    } catch (error) {
      keeper.countLook(false)
      deps.onLookError?.(endpoint, error)
    }
    deps.onProgress?.(progress())
  }

  /** Checked again, since work may be queued a second time while it runs. */
  const isDue = (host: string, endpoint: string) => {
    const known = readModel.host(host)?.endpoints.find((state) => state.endpoint === endpoint)
    return known === undefined || known.nextProbeAt <= clock.now()
  }

  const handle =
    (ending: AbortSignal): CrawlHandler =>
    async ({ host, endpoints, isAsked }, lost) => {
      await readModel.refresh(host)
      for (const endpoint of endpoints) {
        // Throwing returns the work to the queue.
        ending.throwIfAborted()
        lost.throwIfAborted()
        if (isAsked || isDue(host, endpoint)) await probe(endpoint)
      }
    }

  const readDirectories = async (signal: AbortSignal) => {
    // A new reader, since another process may have led in between.
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
    /** When each waiting endpoint was last offered. */
    const offered = new Map<string, number>()
    let round: ReadonlySet<string> = new Set()
    for (; !signal.aborted; await pause(signal)) {
      const now = clock.now()
      const due = findDue(now)
      const waiting = new Set([...due.values()].flat())
      round = followRound(round, waiting)
      for (const endpoint of offered.keys()) if (!waiting.has(endpoint)) offered.delete(endpoint)
      const isNew = (endpoint: string) => now - (offered.get(endpoint) ?? 0) >= OFFER_AGAIN_MS
      // An offer replaces all waiting work of a host.
      const tasks = [...due]
        .filter(([, endpoints]) => endpoints.some(isNew))
        .map(([host, endpoints]) => ({ host, endpoints }))
      await queue.offer(tasks)
      for (const { endpoints } of tasks) for (const endpoint of endpoints) offered.set(endpoint, now)
    }
  }

  /** Updates the progress of the round. A finished round is followed by one of all waiting endpoints. */
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
