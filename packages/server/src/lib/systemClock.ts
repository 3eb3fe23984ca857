import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../ports/clock.ts'

const MAX_TIMER_MS = 2_147_483_647

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    const until = Date.now() + ms
    // Timers are limited to 24.8 days; longer waits take several.
    for (let left = ms; left > 0; left = until - Date.now()) {
      await wait(Math.min(MAX_TIMER_MS, left), undefined, signal === undefined ? {} : { signal })
    }
  },
  hold: () => () => {},
}
