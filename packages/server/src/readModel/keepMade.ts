import { MINUTE } from '../domain/facts/times.ts'
import type { Clock } from '../ports/clock.ts'
import type { ReadModel } from './createReadModel.ts'

/** Options of `keepMade`. */
export type KeepOptions<T> = {
  readonly readModel: Pick<ReadModel, 'hosts' | 'revision'>
  /** The audit's clock. */
  readonly clock: Pick<Clock, 'now'>
  /** Computes the value, with pauses. */
  readonly make: () => Promise<T>
  /** Time in ms of that clock for which a value is used despite changes. @default 0 */
  readonly restMs?: number
}

/** A cached value computed from all hosts. */
export type Kept<T> = {
  /** Returns the cached value, or waits for a new one. */
  get(): Promise<T>
  /** Returns the cached value if `get` would not wait. */
  peek(): T | undefined
}

/** Recomputing takes at most this fraction of the time, however often hosts change. */
const PART = 200
/** Number of hosts up to which recomputing takes a few ms, so that callers wait for it. */
const FEW_HOSTS = 500

/**
 * Caches a value computed from all hosts, and recomputes it after changes and every minute. With many hosts, callers
 * get the stale value meanwhile.
 */
export function keepMade<T>({ readModel, clock, make, restMs = 0 }: KeepOptions<T>): Kept<T> {
  let kept: { value: T; revision: number; at: number; restsUntilMs: number } | undefined
  let making: Promise<T> | undefined

  const recompute = async () => {
    const revision = readModel.revision()
    const at = clock.now()
    const startedMs = performance.now()
    const value = await make()
    const endedMs = performance.now()
    kept = { value, revision, at, restsUntilMs: endedMs + PART * (endedMs - startedMs) }
    return value
  }
  const start = () => {
    making ??= recompute().finally(() => {
      making = undefined
    })
    return making
  }
  const peek = () => {
    if (kept === undefined) return undefined
    const ageMs = clock.now() - kept.at
    const isSame = readModel.revision() === kept.revision
    if (ageMs < MINUTE && (isSame || ageMs < restMs || performance.now() < kept.restsUntilMs))
      return kept.value
    // Callers of `get` see a fault; otherwise the next call tries again.
    start().catch(() => {})
    return readModel.hosts().length > FEW_HOSTS && ageMs < 2 * MINUTE ? kept.value : undefined
  }
  return {
    peek,
    get: async () => peek() ?? start(),
  }
}
