import { HOUR } from '../domain/facts/times.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { TakenHosts } from './takenHosts.ts'

/** Time after which taken endpoints are due again, unless they were probed. */
export const TAKE_AGAIN_MS = HOUR / 4
/** Number of endpoints taken per call of the store. */
export const TAKE = 512
/** Number of endpoints that wait from which no more are taken. */
export const MOST_WAITING = 8192
/** Minimum interval between counts of a backlog. */
export const COUNT_EVERY_MS = 5000

export type DueTakerDeps = {
  readonly store: Pick<Store, 'claimDue' | 'countDue'>
  readonly clock: Pick<Clock, 'now'>
  readonly taken: TakenHosts
  /** Number of waiting hosts that keeps the workers busy. */
  readonly enough: number
  /** Minimum interval between two looks for due endpoints once none were left. */
  readonly pauseMs: number
}

/** Takes due endpoints from the store, a bounded number at a time. */
export type DueTaker = {
  take(): Promise<void>
  /** Makes the next `take` ask the store, even if none were left a moment ago. */
  expectMore(): void
  /** Returns the number of due endpoints left in the store, as last counted. */
  left(): number
}

/** Creates the taker. */
export function createDueTaker({ store, clock, taken, enough, pauseMs }: DueTakerDeps): DueTaker {
  let emptyAt = Number.NEGATIVE_INFINITY
  let countedAt = Number.NEGATIVE_INFINITY
  let left = 0

  const count = async (now: number) => {
    if (now - countedAt < COUNT_EVERY_MS) return Math.max(0, left - TAKE)
    countedAt = now
    return store.countDue('looks', now)
  }

  return {
    expectMore() {
      emptyAt = Number.NEGATIVE_INFINITY
    },
    left: () => left,
    async take() {
      const now = clock.now()
      if (now - emptyAt < pauseMs) return
      while (taken.waiting() < enough && taken.size() < MOST_WAITING) {
        // Before the call: what becomes due while it runs may be missed by it.
        emptyAt = now
        const endpoints = await store.claimDue('looks', now, now + TAKE_AGAIN_MS, TAKE)
        taken.add(endpoints)
        const isEmpty = endpoints.length < TAKE
        left = isEmpty ? 0 : await count(now)
        if (isEmpty) return
        emptyAt = Number.NEGATIVE_INFINITY
      }
    },
  }
}
