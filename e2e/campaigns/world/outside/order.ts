import type { Scheduler } from 'fast-check'
import type { Time } from './time.ts'
import type { Trace } from './trace.ts'

/** Requester of an event. Events that it requested do not happen after its end. */
export type Owner = { readonly name: string; isDead: boolean }

/** The order in which everything outside of the guard happens. */
export type Order = ReturnType<typeof createOrder>

const NEVER = new Promise<never>(() => {})
/** Turns of the real event loop in which promises and streams come to rest. */
const TURNS = 2
/** Most events within one command: more is a loop without end. */
const MOST_EVENTS = 20_000

/** Waits until no promise can go on without an event from outside. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/**
 * Creates the order of a world. Each answer of disk, network and signer is one task of fast-check's scheduler, which
 * chooses the next one among those that could come next.
 */
export function createOrder(scheduler: Scheduler, time: Time, trace: Trace) {
  let waiting = 0
  const runOne = async () => {
    await scheduler.waitOne()
    await settle()
  }
  const run = async (most: number) => {
    await settle()
    let done = 0
    for (; waiting > 0 && done < most; done++) await runOne()
    return done
  }
  return {
    settle,
    /** Runs an effect when its turn comes. Of a dead owner it neither happens nor ends. */
    async act<T>(owner: Owner, label: string, effect: () => T | Promise<T>): Promise<T> {
      if (owner.isDead) return NEVER
      waiting += 1
      await scheduler.schedule(Promise.resolve(), label)
      waiting -= 1
      if (owner.isDead) return NEVER
      trace.add(`${owner.name} ${label}`)
      return effect()
    },
    /** Lets a number of events happen without time passing. Returns how many there were. */
    run,
    /** Lets everything happen that can within a time in ms. */
    async pass(ms: number): Promise<void> {
      const until = time.now() + ms
      let left = MOST_EVENTS
      for (;;) {
        left -= await run(left)
        if (left <= 0) throw new Error(`More than ${MOST_EVENTS} events within one command.`)
        const due = time.nextDue()
        if (due === undefined || due > until) break
        time.advance(due)
      }
      time.advance(until)
      await run(MOST_EVENTS)
    },
    /** Lets time pass until nothing is awaited any more by `isDone`, at most for a time in ms. */
    async until(isDone: () => boolean, mostMs: number): Promise<void> {
      const until = time.now() + mostMs
      let left = MOST_EVENTS
      for (;;) {
        left -= await run(left)
        const due = time.nextDue()
        if (isDone() || due === undefined || due > until) return
        if (left <= 0) throw new Error(`More than ${MOST_EVENTS} events within one command.`)
        time.advance(due)
      }
    },
  }
}
