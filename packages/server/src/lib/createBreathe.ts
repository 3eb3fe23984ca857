import { setImmediate as nextTurn } from 'node:timers/promises'

/** Yields to the event loop if the current work has run for long. Called at every step of long work. */
export type Breathe = () => Promise<void> | undefined

/** Longest time in ms that long work may block the event loop. */
const TURN_MS = 0.5
/** Number of steps between two readings of the clock, which costs about as much as a step. */
const STEPS = 16

/** Creates the pauses of long work. Called at every step, it yields to the event loop when needed. */
export function createBreathe(): Breathe {
  let turnEndsAt = performance.now() + TURN_MS
  let steps = 0
  return () => {
    steps++
    if (steps % STEPS !== 0 || performance.now() < turnEndsAt) return undefined
    return nextTurn().then(() => {
      turnEndsAt = performance.now() + TURN_MS
    })
  }
}
