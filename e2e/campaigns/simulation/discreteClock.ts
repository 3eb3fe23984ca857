import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '@touchstone402/server/parts'

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

/** Creates a deterministic generator of numbers from 0 to 1. Source: mulberry32. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
