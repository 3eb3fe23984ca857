import type { Observation, ObservedOffer } from '../../facts/facts.ts'
import type { Evidence } from '../evidence.ts'
import { isElsewhere, isOfficial, signableOffers } from '../offers.ts'
import type { Grounds } from './flagRule.ts'

/** Returns the probes if all of them pass a test. */
export function ifAll(
  found: readonly Observation[],
  test: (probe: Observation) => boolean,
): readonly Grounds[] {
  return found.length > 0 && found.every(test) ? [found] : []
}

/** Returns the last two probes with terms if both pass a test: a single odd probe raises nothing. */
export function ifLatest({ latest }: Evidence, test: (probe: Observation) => boolean): readonly Grounds[] {
  return ifAll(latest, test)
}

/** Returns the last two probes if a signable offer of each passes a test. */
export function ifOffered(evidence: Evidence, test: (offer: ObservedOffer) => boolean): readonly Grounds[] {
  return ifLatest(evidence, (probe) => signableOffers(probe).some(test))
}

/** The same, unless one of them has an official offer as well. */
export function ifOnlyOffered(
  evidence: Evidence,
  test: (offer: ObservedOffer) => boolean,
): readonly Grounds[] {
  return evidence.latest.every(isUnofficial) ? ifOffered(evidence, test) : []
}

const isUnofficial = (probe: Observation) => !isElsewhere(probe) && !signableOffers(probe).some(isOfficial)

/** Names the facts of one finding by their ids. */
export function ofIds(ids: readonly string[] | null | undefined): readonly Grounds[] {
  return ids == null ? [] : [ids.map((id) => ({ id }))]
}

/** Names the facts of one finding that several records show. */
export function ofRecords(found: readonly { readonly ids: readonly string[] }[]): readonly Grounds[] {
  return found.length === 0 ? [] : ofIds([...new Set(found.flatMap(({ ids }) => ids))])
}
