import type { Clock } from '../../lib/clock.ts'

/** Creates a clock that jumps to the end of every sleep and records its length. */
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
