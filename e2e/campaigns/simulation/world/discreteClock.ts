import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '@touchstone402/server/testing'

/** Creates a clock that stops while it is held, and jumps to the next wake-up time of the crawl. */
export function createDiscreteClock(start: number, end: number, stop: () => void): Clock {
  let now = start
  let holds = 0
  return {
    now: () => now,
    async sleep(ms, signal) {
      // Also yields to the event loop, as thousands of jumps follow one another.
      await nextTurn()
      while (holds > 0 && signal?.aborted !== true) await nextTurn()
      signal?.throwIfAborted()
      now += ms
      if (now >= end) stop()
    },
    hold() {
      holds++
      return () => {
        holds--
      }
    },
  }
}
