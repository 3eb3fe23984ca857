import { carry, type Observation } from '@touchstone402/server/parts'
import { hostOf, idOf, looksOf, PATTERNS, payToOf, urlOf } from '../support/history.ts'

type Folded = ReturnType<typeof carry>

/** The looks at an endpoint, and what folding them gives. */
export type Made = { readonly looks: readonly Observation[]; readonly folded: Folded }

type Pattern = {
  readonly looks: readonly Observation[]
  readonly text: string
  readonly ids: ReadonlyMap<string, number>
}

const ID = /obs_[\w-]{12}/g

/**
 * Returns a function that makes the looks at an endpoint. Folding takes most of the time of a judgement, so each pattern
 * is folded once, and the names in the result are replaced by those of the endpoint.
 */
export function createPatterns(looks: number, now: number): (endpoint: number) => Made {
  const patterns = new Map<number, Pattern>()
  const patternOf = (number: number): Pattern => {
    const known = patterns.get(number)
    if (known !== undefined) return known
    const made = looksOf(number, looks, now)
    const ids = new Map(made.map(({ id }, index) => [id, index]))
    const pattern = { looks: made, ids, text: JSON.stringify(carry(undefined, made)) }
    patterns.set(number, pattern)
    return pattern
  }
  return (endpoint) => {
    const number = endpoint % PATTERNS
    const pattern = patternOf(number)
    const text = pattern.text
      .replaceAll(ID, (id) => idOf(endpoint, pattern.ids.get(id) ?? 0))
      .replaceAll(urlOf(number), urlOf(endpoint))
      .replaceAll(hostOf(number), hostOf(endpoint))
      .replaceAll(`"req_${number}"`, `"req_${endpoint}"`)
      .replaceAll(payToOf(number, false), payToOf(endpoint, false))
      .replaceAll(payToOf(number, true), payToOf(endpoint, true))
    return {
      folded: JSON.parse(text),
      looks: pattern.looks.map((look, index) => rename(look, index, number, endpoint)),
    }
  }
}

function rename(look: Observation, index: number, from: number, to: number): Observation {
  return {
    ...look,
    id: idOf(to, index),
    endpoint: urlOf(to),
    host: hostOf(to),
    request: `req_${to}`,
    resourceOrigin: look.resourceOrigin === null ? null : `https://${hostOf(to)}`,
    offers: look.offers.map((offer) => ({
      ...offer,
      payTo: payToOf(to, offer.payTo === payToOf(from, true)),
    })),
  }
}
