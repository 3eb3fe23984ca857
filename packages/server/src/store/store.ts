import type { Time } from '../facts/facts.ts'
import type { Totals } from '../facts/totals.ts'
import type { Engine } from './engine.ts'
import { refreshExpired } from './hosts.ts'

/**
 * Facts and data derived from them. The functions of each table read from it, `write` runs one of them that writes. The cost of
 * a call is proportional to its result, that of `totals` excepted.
 *
 * A write survives a crash; of one call all is written or nothing. A failed write rejects with `StoreUnavailableError`; reads
 * keep working if they can.
 */
export type Store = Omit<Engine, 'count'> & {
  /** Counts everything, at most once a minute; callers meanwhile get the last count. */
  totals(now: Time): Promise<Totals>
}

/** A count rests for a minute; a quick one as many times as long as it took. */
const MAX_REST_MS = 60_000
const QUICK_MS = 250
const REST_TIMES = 20

/** Creates the store on an engine. */
export function createStore({ count: countIn, ...engine }: Engine): Store {
  let counted: { readonly at: number; readonly totals: Promise<Totals>; restsUntilMs: number } | undefined

  const count = async (at: number): Promise<Totals> => {
    await refreshExpired(engine, at)
    const totals = await countIn('countAll', at)
    if (counted !== undefined)
      counted.restsUntilMs =
        performance.now() + (totals.tookMs < QUICK_MS ? REST_TIMES * totals.tookMs : MAX_REST_MS)
    return totals
  }
  return {
    ...engine,
    totals(at) {
      const isFresh = counted !== undefined && Math.abs(at - counted.at) < MAX_REST_MS
      if (counted === undefined || !isFresh || performance.now() >= counted.restsUntilMs) {
        counted = { at, totals: count(at), restsUntilMs: Number.POSITIVE_INFINITY }
        counted.totals.catch(() => {
          counted = undefined
        })
      }
      return counted.totals
    },
  }
}
