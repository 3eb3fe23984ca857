import { setImmediate as nextTurn } from 'node:timers/promises'

/** Waits for a turn of the event loop that nobody else has taken. */
export type TakeTurn = () => Promise<void>

/**
 * Gives out turns one by one. Many looks may be stored by one write and go on at the same moment; judging them all
 * before anything else is heard would hold up whoever asks for a verdict.
 */
export function createTurns(): TakeTurn {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(() => nextTurn())
    return last
  }
}
