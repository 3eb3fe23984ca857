import type { Time } from '../../facts/facts.ts'
import { LIMITS } from '../spec.ts'
import { mayBeOld, type Sighting } from './sightings.ts'
import type { Differ, Seen, Terms } from './terms.ts'

/**
 * How a cache explains an alternation: `open` while one client lags behind, `over` once it sees the newer terms too,
 * `withdrawn` if the other client stops seeing them before; `none` if it does not.
 */
export type Lag =
  | { readonly state: 'none' | 'over' | 'withdrawn' }
  | {
      readonly state: 'open'
      readonly newer: { readonly at: Time; readonly terms: Terms }
      readonly lagging: string | null
      /** Probes at the newer terms since the lagging client saw them. */
      readonly caughtUp: number
      readonly needed: number
    }

/**
 * Returns how a cache explains four probes of two clients. Both clients saw the older terms before the newer appeared,
 * and the lag ends within hours. Terms that may have been forgotten are not explained. A newer receiver has to stay as long as a confirmed one.
 * @param sightings of the two clients, in order of their first
 */
export function startLag(
  found: readonly [Seen, Seen, Seen, Seen],
  sightings: readonly Sighting[],
  differ: Differ,
  ofReceivers: boolean,
): Lag {
  if ([found[0], found[1]].some(({ terms }) => mayBeOld({ list: sightings }, terms, differ)))
    return { state: 'none' }
  const firstOf = (side: Seen) => sightings.find(({ terms }) => !differ(terms, side.terms)) ?? side
  const sides = [firstOf(found[0]), firstOf(found[1])] as const
  const [older, newer] = sides[0].at <= sides[1].at ? sides : [sides[1], sides[0]]
  if (found[3].at - newer.at >= LIMITS.cacheLagMs) return { state: 'none' }
  const sawOlder = (client: string) =>
    sightings.some((one) => one.client === client && one.at < newer.at && !differ(one.terms, older.terms))
  if (!found.every(({ client }) => sawOlder(client))) return { state: 'none' }
  return {
    state: 'open',
    newer: { at: newer.at, terms: newer.terms },
    lagging: found.find(({ terms }) => differ(terms, newer.terms))?.client ?? null,
    caughtUp: 0,
    needed: ofReceivers ? LIMITS.swapLooks : 1,
  }
}

/** Follows a lag over one more probe of the two clients. */
export function followLag(lag: Lag, probe: Seen, differ: Differ): Lag {
  if (lag.state !== 'open') return lag
  const { newer, lagging } = lag
  const isNewer = !differ(probe.terms, newer.terms)
  if (!isNewer && probe.client !== lagging) return { state: 'withdrawn' }
  if (!isNewer && probe.at - newer.at >= LIMITS.cacheLagMs) return { state: 'none' }
  const caughtUp = !isNewer ? 0 : probe.client === lagging || lag.caughtUp > 0 ? lag.caughtUp + 1 : 0
  return caughtUp >= lag.needed ? { state: 'over' } : { ...lag, caughtUp }
}
