import type { Clock } from '../../ports/clock.ts'

/** A clock that jumps to the end of every sleep, and notes how long each was. */
export function createJumpClock(start: number): { -readonly [K in keyof Clock]: Clock[K] } & {
  readonly slept: readonly number[]
} {
  let time = start
  const slept: number[] = []
  return {
    slept,
    now: () => time,
    async sleep(ms, signal) {
      signal?.throwIfAborted()
      slept.push(ms)
      time += ms
    },
    hold: () => () => {},
  }
}
