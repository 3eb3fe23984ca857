import { EventEmitter, once } from 'node:events'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '@touchstone402/server'

/** The real clock, with an offset that a test can increase. */
export type ShiftClock = Clock & {
  /**
   * Moves time forward and wakes the sleepers that are due. Waits until no work holds the clock first: a job that is
   * still running would start its pause after the jump and sleep through it in real time.
   */
  advance(ms: number): Promise<void>
  /** Resolves once no work holds the clock and every job sleeps again. */
  settled(): Promise<void>
}

/** Creates the clock. */
export function createShiftClock(): ShiftClock {
  const events = new EventEmitter()
  let shift = 0
  let holds = 0
  let woken = new AbortController()
  const now = () => Date.now() + shift
  const settled = async () => {
    // A job goes from its sleep to its work, and from its work to its sleep, within one turn of the event loop.
    for (await nextTurn(); holds > 0; await nextTurn()) await once(events, 'released')
  }
  return {
    now,
    settled,
    hold() {
      holds += 1
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        holds -= 1
        if (holds === 0) events.emit('released')
      }
    },
    async sleep(ms, signal) {
      const until = now() + ms
      for (let left = ms; left > 0; left = until - now()) {
        signal?.throwIfAborted()
        const either = signal === undefined ? woken.signal : AbortSignal.any([signal, woken.signal])
        await wait(left, undefined, { signal: either }).catch(() => {})
      }
      signal?.throwIfAborted()
    },
    async advance(ms) {
      await settled()
      shift += ms
      woken.abort()
      woken = new AbortController()
    },
  }
}
