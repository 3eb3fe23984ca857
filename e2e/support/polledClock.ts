import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '@touchstone402/server'

/** Interval at which sleepers read the clock. */
const POLL_MS = 100

/** The real clock, with an offset that a measurement can increase while work is running. */
export type PolledClock = Clock & {
  /** Moves time forward at once; sleepers that are due wake within 100 ms. */
  jump(ms: number): void
}

/** Creates the clock. It keeps no list of sleepers, so that it adds nothing to the measured memory. */
export function createPolledClock(): PolledClock {
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  return {
    now,
    async sleep(ms, signal) {
      const end = now() + ms
      while (now() < end) await wait(Math.min(POLL_MS, end - now()), undefined, signal && { signal })
    },
    hold: () => () => {},
    jump(ms) {
      aheadMs += ms
    },
  }
}
