import { canonicalJson } from '@touchstone402/shared/log'
import type { Observation } from '../facts/facts.ts'
import { HOUR, toTimestamp } from '../facts/times.ts'
import { wellFormedJson } from './wellFormed.ts'

/**
 * Form of a published look. The leaf of a day states it, since its hash holds for the lines of that form only; leaves
 * without one are of the first.
 */
export type LookForm = 1 | 2

/** The form in which days are logged now: 2 adds what the score reads of the seller's own answer. */
export const LOOK_FORM: LookForm = 2

/**
 * Creates a writer of looks in the form in which they are published: no headers, addresses or latency, and the hour in
 * place of the time, so that nobody learns to recognise a probe. Client identities are A, B … in order of appearance.
 */
export function createLookWriter(form: LookForm = LOOK_FORM): (look: Observation) => string {
  const classes = new Map<string, string>()
  return (look) => {
    const { id, endpoint, at, client, purpose, method, outcome, cause, httpStatus } = look
    const known = classes.get(client) ?? String.fromCharCode(65 + (classes.size % 26))
    classes.set(client, known)
    const published = {
      id,
      endpoint,
      hour: toTimestamp(at - (at % HOUR)),
      client: known,
      purpose,
      method,
      outcome,
      cause,
      httpStatus,
      versions: [...look.versions],
      offers: look.offers.map((offer) => writeOffer(offer, form)),
      disagreements: look.disagreements.map((disagreement) => JSON.stringify(disagreement)),
      problems: [...look.problems],
      ...(form === 2 && writeAnswer(look)),
    }
    return canonicalJson(wellFormedJson(published))
  }
}

function writeOffer(offer: Observation['offers'][number], form: LookForm) {
  const { x402Version, scheme, network, asset, payTo, amountAtomic, unsafeFlow, unpayable } = offer
  const plain = { x402Version, scheme, network, asset, payTo, amountAtomic }
  return form === 1 ? plain : { ...plain, unsafeFlow, ...(unpayable !== undefined && { unpayable }) }
}

/** What else a judgement reads of a look. All of it is the seller's own answer, or whether two requests were equal. */
function writeAnswer(look: Observation) {
  const { resourceOrigin, resourceAsked, declaresInput, declaresOutput, request, reread } = look
  return {
    resourceOrigin,
    declaresInput,
    declaresOutput,
    ...(resourceAsked !== undefined && { leadsHere: resourceAsked.leadsHere }),
    ...(request !== undefined && { request }),
    ...(reread === true && { reread }),
  }
}
