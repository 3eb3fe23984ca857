import { setTimeout as wait } from 'node:timers/promises'

/** The audit's clock. Payments and network timeouts use real time. */
export type Clock = {
  /** Unix time in ms. */
  now(): number
  /** Resolves after `ms` of this clock's time; rejects with the signal's reason if that fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Keeps a clock that can jump from jumping until the returned function is called. No-op on a real clock. */
  hold(): () => void
}

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
