import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longest time in ms that long work may block the event loop. */
const TURN_MS = 8

/** Runs a generator to its end, and yields to the event loop in between. */
export async function inSlices<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const endsAt = performance.now() + TURN_MS
    do {
      const step = work.next()
      if (step.done) return step.value
    } while (performance.now() < endsAt)
    await nextTurn()
  }
}
