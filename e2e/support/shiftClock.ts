import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '@touchstone402/server'

/** The real clock, which can be put forward. */
export type ShiftClock = Clock & {
  /** Puts it forward; whoever sleeps past that moment is woken. */
  advance(ms: number): void
}

/** Makes the clock. */
export function createShiftClock(): ShiftClock {
  let shift = 0
  let woken = new AbortController()
  const now = () => Date.now() + shift
  return {
    now,
    hold: () => () => {},
    async sleep(ms, signal) {
      const until = now() + ms
      for (let left = ms; left > 0; left = until - now()) {
        signal?.throwIfAborted()
        const either = signal === undefined ? woken.signal : AbortSignal.any([signal, woken.signal])
        await wait(left, undefined, { signal: either }).catch(() => {})
      }
      signal?.throwIfAborted()
    },
    advance(ms) {
      shift += ms
      woken.abort()
      woken = new AbortController()
    },
  }
}
