import { groupBy } from '../domain/facts/groupBy.ts'
import type { Clock } from '../ports/clock.ts'
import type { CrawlQueue } from '../ports/crawlQueue.ts'
import type { Store } from '../ports/store.ts'
import { COUNT_EVERY_MS, MOST_WAITING, TAKE, TAKE_AGAIN_MS } from './dueTaker.ts'
import { MOST_PER_HOST } from './takenHosts.ts'

export type PlannerDeps = {
  readonly store: Pick<Store, 'claimDue' | 'countDue'>
  readonly queue: Pick<CrawlQueue, 'offer' | 'waiting'>
  readonly clock: Pick<Clock, 'now'>
}

/** Progress of the shared queue. */
export type Planned = {
  /** Number of endpoints that left the queue since the planner was created. */
  readonly handled: number
  /** Number of endpoints that are queued, or due and not queued yet as last counted. */
  readonly due: number
}

/** Queues due endpoints for all processes. */
export type Planner = { plan(): Promise<Planned> }

/** Creates the planner. It keeps the queue short: what is not handled in time becomes due again in the store. */
export function createPlanner({ store, queue, clock }: PlannerDeps): Planner {
  let countedAt = Number.NEGATIVE_INFINITY
  let left = 0
  let offered: number | undefined

  /** Returns the endpoints of each host that fit into the queue; the others become due again by themselves. */
  const toTasks = (endpoints: readonly string[], waiting: ReadonlyMap<string, number>) =>
    [...groupBy(endpoints, (endpoint) => new URL(endpoint).host)].flatMap(([host, due]) => {
      const fitting = due.slice(0, Math.max(0, MOST_PER_HOST - (waiting.get(host) ?? 0)))
      return fitting.length === 0 ? [] : [{ host, endpoints: fitting }]
    })

  return {
    async plan() {
      const now = clock.now()
      const waiting = new Map(await queue.waiting())
      let queued = sumOf(waiting.values())
      // The queue may hold work of an earlier leader.
      offered ??= queued
      const handled = offered - queued
      let isEmpty = false
      while (queued < MOST_WAITING && !isEmpty) {
        const endpoints = await store.claimDue('looks', now, now + TAKE_AGAIN_MS, TAKE)
        isEmpty = endpoints.length < TAKE
        const tasks = toTasks(endpoints, waiting)
        await queue.offer(tasks)
        for (const task of tasks) {
          waiting.set(task.host, (waiting.get(task.host) ?? 0) + task.endpoints.length)
          offered += task.endpoints.length
          queued += task.endpoints.length
        }
      }
      if (isEmpty) left = 0
      else if (now - countedAt >= COUNT_EVERY_MS) {
        countedAt = now
        left = await store.countDue('looks', now)
      }
      return { handled: Math.max(0, handled), due: left + queued }
    },
  }
}

const sumOf = (numbers: Iterable<number>) => [...numbers].reduce((sum, number) => sum + number, 0)
