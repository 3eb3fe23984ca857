import type { Challenge, Offer } from '@touchstone402/shared'

/** Creates a challenge from known terms, to judge a payment whose 402 is not available. */
export function createChallenge(offers: Offer[]): Challenge {
  return {
    offers,
    authenticate: null,
    versions: [],
    resource: null,
    declaresInput: false,
    declaresOutput: false,
    problems: [],
    disagreements: [],
    header: null,
    body: null,
  }
}

/** Creates an offer from known terms. */
export function createOffer(
  terms: Pick<Offer, 'network' | 'asset' | 'payTo' | 'amountAtomic' | 'maxTimeoutSeconds'> & Partial<Offer>,
): Offer {
  return { x402Version: 2, source: 'header', scheme: 'exact', extra: {}, raw: {}, ...terms }
}
