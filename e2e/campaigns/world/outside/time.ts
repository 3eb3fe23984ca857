import { createClock } from '@sinonjs/fake-timers'

/** A timer that has not fired. */
export type Timer = { cancel(): void }

/** The true time of a world. Nothing moves it but `advance`. */
export type Time = ReturnType<typeof createTime>

// A Tuesday, far from the end of a day in UTC.
const START_MS = Date.UTC(2026, 8, 1, 9)

/** Creates the time of a world. */
export function createTime() {
  const clock = createClock(START_MS)
  const dues = new Map<object, number>()
  return {
    /** Unix time in ms. */
    now: (): number => clock.now,
    /** Calls a function after a time in ms. */
    after(ms: number, run: () => void): Timer {
      const timer = {
        cancel() {
          dues.delete(timer)
          clock.clearTimeout(id)
        },
      }
      const wait = Math.max(1, Math.floor(ms))
      const id = clock.setTimeout(() => {
        dues.delete(timer)
        run()
      }, wait)
      dues.set(timer, clock.now + wait)
      return timer
    },
    /** Unix time in ms of the next timer; undefined without one. */
    nextDue: (): number | undefined => (dues.size === 0 ? undefined : Math.min(...dues.values())),
    /** Moves to a time and fires the timers that are due until then. */
    advance(to: number): void {
      clock.tick(Math.max(0, to - clock.now))
    },
  }
}
