import type { Clock } from '@touchstone402/server/parts'

/** A clock that stands still while work is done, and jumps to the moment that the crawl sleeps until. */
export function createDiscreteClock(start: number, end: number, stop: () => void): Clock {
  let now = start
  return {
    now: () => now,
    async sleep(ms) {
      now += ms
      if (now >= end) stop()
      // Lets the event loop breathe: thousands of jumps are made in a row.
      await new Promise((resolve) => setImmediate(resolve))
    },
    hold: () => () => {},
  }
}

/** A sequence of numbers from 0 to 1 that is the same at each run. Source: mulberry32. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
