import { findKnownNetwork, findNetworkByName, type Term } from '@touchstone402/shared'
import type { Observation, ObservedOffer } from '../../facts/facts.ts'
import { isPlain, normalAddress, signableOffers } from '../../judge/offers.ts'

/** The probes' part of an outcome. Null: nothing was measured, or there was nothing to compare. */
export type ProbedOutcome = {
  readonly live: boolean | null
  readonly sameTerms: boolean | null
}

/** Share of scheduled probes that a live endpoint answers with terms. One failure of a day's eight is no outage. */
export const LIVE_SHARE = 0.8

/**
 * Returns what the probes of a period after a verdict showed.
 * @param terms those that stood with the verdict
 */
export function observeOutcome(terms: readonly Term[], probes: readonly Observation[]): ProbedOutcome {
  return { live: wasLive(probes), sameTerms: keptTerms(terms, probes) }
}

/** Confirming probes follow a failure and live ones a buyer, so scheduled ones alone decide. */
function wasLive(probes: readonly Observation[]): boolean | null {
  const measured = probes.filter(
    ({ purpose, outcome }) => purpose === 'scheduled' && outcome !== 'not_measured',
  )
  if (measured.length === 0) return null
  const up = measured.filter(({ outcome }) => outcome === 'up').length
  return up >= LIVE_SHARE * measured.length
}

/** One probe beyond the terms suffices: a buyer could have been there. */
function keptTerms(terms: readonly Term[], probes: readonly Observation[]): boolean | null {
  let isCompared = false
  for (const probe of probes) {
    if (probe.purpose === 'control' || probe.outcome !== 'up') continue
    const own = terms.filter(({ method }) => method === (probe.method === 'HEAD' ? 'GET' : probe.method))
    const offers = signableOffers(probe).filter(isPlain)
    if (own.length === 0 || offers.length === 0) continue
    isCompared = true
    if (!offers.some((offer) => fits(own, offer)) || offers.some((offer) => isBeyond(own, offer)))
      return false
  }
  return isCompared ? true : null
}

/** Whether an offer is within the terms. */
const fits = (terms: readonly Term[], offer: ObservedOffer) =>
  terms.some(
    (term) =>
      kindOf(term) === kindOf(offer) &&
      normalAddress(term.payTo) === normalAddress(offer.payTo) &&
      BigInt(offer.amountAtomic) <= BigInt(term.amountAtomicMax),
  )

/**
 * Whether an offer contradicts the terms: of a kind that they name, but not within them, or to another receiver on a kind
 * of chain that they name. An offer on another chain to the same receiver is none.
 */
function isBeyond(terms: readonly Term[], offer: ObservedOffer): boolean {
  if (terms.some((term) => kindOf(term) === kindOf(offer))) return !fits(terms, offer)
  const alike = terms.filter((term) => namespaceOf(term) === namespaceOf(offer))
  return alike.length > 0 && alike.every(({ payTo }) => normalAddress(payTo) !== normalAddress(offer.payTo))
}

type Kind = Pick<Term, 'network' | 'asset' | 'scheme'>

/** Version 1 names networks otherwise. */
const networkOf = ({ network }: Pick<Term, 'network'>) =>
  (findKnownNetwork(network) ?? findNetworkByName(network))?.caip2 ?? network
const kindOf = (kind: Kind) => `${networkOf(kind)} ${normalAddress(kind.asset)} ${kind.scheme}`
const namespaceOf = (kind: Kind) => networkOf(kind).split(':')[0]
