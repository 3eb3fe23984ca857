import { setTimeout as sleep } from 'node:timers/promises'
import { MINUTE } from '../facts/times.ts'
import type { Clock } from '../lib/clock.ts'
import type { ReadModel } from './createReadModel.ts'

/** Options of `keepMade`. */
export type KeepOptions<T> = {
  readonly readModel: Pick<ReadModel, 'revision'>
  /** The audit's clock. */
  readonly clock: Pick<Clock, 'now'>
  readonly make: () => Promise<T>
  /** Time in ms of that clock for which a value is used despite changes. @default 0 */
  readonly restMs?: number
}

/** A cached value made of many records. */
export type Kept<T> = {
  /** Returns the cached value, or a new one; the last one if that takes long. */
  get(): Promise<T>
  /** Returns the cached value if `get` would not wait. */
  peek(): T | undefined
}

/** A value rests for this many times as long as it took to make, but at most a second. */
const REST_TIMES = 200
const MAX_REST_MS = 1000
/** However long it took, making it takes at most a tenth of the time. */
const MIN_REST_TIMES = 10
/** Time in ms that callers wait for a new value before they get the last one, if it is less than a minute old. */
const PATIENCE_MS = 20

/** Caches a value, and makes it again after changes and every minute. */
export function keepMade<T>({ readModel, clock, make, restMs = 0 }: KeepOptions<T>): Kept<T> {
  let kept: { value: T; revision: number; at: number; restsUntilMs: number } | undefined
  let making: Promise<T> | undefined

  const makeAgain = async () => {
    const revision = readModel.revision()
    const at = clock.now()
    const startedMs = performance.now()
    const value = await make()
    const endedMs = performance.now()
    const tookMs = endedMs - startedMs
    const shortMs = Math.max(MIN_REST_TIMES * tookMs, Math.min(REST_TIMES * tookMs, MAX_REST_MS))
    kept = { value, revision, at, restsUntilMs: endedMs + shortMs }
    return value
  }
  const start = () => {
    making ??= makeAgain().finally(() => {
      making = undefined
    })
    return making
  }
  const peek = () => {
    if (kept === undefined) return undefined
    const ageMs = clock.now() - kept.at
    const isSame = readModel.revision() === kept.revision
    const isFresh = ageMs < MINUTE && (isSame || ageMs < restMs || performance.now() < kept.restsUntilMs)
    return isFresh ? kept.value : undefined
  }
  return {
    peek,
    async get() {
      const fresh = peek()
      if (fresh !== undefined) return fresh
      const made = start()
      if (kept === undefined || clock.now() - kept.at >= MINUTE) return made
      // A failure after the timeout has no other handler.
      made.catch(() => undefined)
      return Promise.race([made, sleep(PATIENCE_MS, kept.value)])
    },
  }
}
