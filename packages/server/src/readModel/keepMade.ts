import { MINUTE } from '../domain/facts/times.ts'
import type { Clock } from '../ports/clock.ts'
import type { ReadModel } from './createReadModel.ts'

export type KeepOptions<T> = {
  readonly readModel: Pick<ReadModel, 'hosts' | 'revision'>
  /** The audit's clock. */
  readonly clock: Pick<Clock, 'now'>
  /** Makes it, with pauses. */
  readonly make: () => Promise<T>
  /** How long one is good whatever changes, in milliseconds by that clock. @default 0 */
  readonly restMs?: number
}

/** Something made of all hosts. */
export type Kept<T> = {
  /** What there is, or else what is being made. */
  get(): Promise<T>
  /** What is handed out now without a wait; undefined where that takes one. */
  peek(): T | undefined
}

/** While a crawl changes something all the time, making it takes at most one part in so many. */
const PART = 200
/** So many hosts are described within a few milliseconds, which nobody minds to wait for. */
const FEW_HOSTS = 500

/**
 * Keeps what is made of all hosts, and has it made anew when something has changed, and each minute. Of many hosts that
 * takes a while, and the one before is handed out meanwhile.
 */
export function keepMade<T>({ readModel, clock, make, restMs = 0 }: KeepOptions<T>): Kept<T> {
  let kept: { value: T; revision: number; at: number; restsUntilMs: number } | undefined
  let making: Promise<T> | undefined

  const makeAnew = async () => {
    const revision = readModel.revision()
    const at = clock.now()
    const startedMs = performance.now()
    const value = await make()
    const endedMs = performance.now()
    kept = { value, revision, at, restsUntilMs: endedMs + PART * (endedMs - startedMs) }
    return value
  }
  const start = () => {
    making ??= makeAnew().finally(() => {
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
    // Whoever waits for it hears of a fault; while nobody does, the next call tries again.
    start().catch(() => {})
    return readModel.hosts().length > FEW_HOSTS && ageMs < 2 * MINUTE ? kept.value : undefined
  }
  return {
    peek,
    get: async () => peek() ?? start(),
  }
}
