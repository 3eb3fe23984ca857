import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Breathe } from '../domain/publish/breathe.ts'

/** How long one turn of a long piece of work may last, in milliseconds. */
const TURN_MS = 0.5
/** Reading the clock costs about as much as a small step, so that it is read once in so many. */
const STEPS = 16

/** Makes the pauses of one long piece of work: called at every step, it gives way to others after each turn. */
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
