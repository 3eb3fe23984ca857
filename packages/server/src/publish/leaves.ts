import type { Incident } from '@touchstone402/shared'
import { canonicalJson, writeLeaf } from '@touchstone402/shared/leaves'
import type { Outcome, Purchase, Time } from '../facts/facts.ts'
import type { CategoryPrice, EndpointState } from '../facts/hostDocument.ts'
import { dayKey, decisionKey, inputsKey, mapKey, type NewLeaf, signingKeyKey } from '../facts/leaves.ts'
import { toTimestamp } from '../facts/times.ts'
import { currentVerdict } from './verdict.ts'
import { wellFormedJson } from './wellFormed.ts'

/** Returns 16 random bytes in base64. */
export type NewSalt = () => string

/**
 * Returns the leaf of a decision; undefined if the endpoint is not listed, or the leaf would equal the last one.
 * @param before the state that was published before; undefined if no decision was logged
 */
export function decisionLeaf(
  before: EndpointState | undefined,
  state: EndpointState,
  newSalt: NewSalt,
): NewLeaf | undefined {
  if (state.listings.length === 0) return undefined
  const { host, endpoint, derivedAt } = state
  const said = sayDecision(state)
  if (before !== undefined && isSame(sayDecision(before), said)) return undefined
  const { terms, resourceHosts, ...plain } = wellFormedJson(said)
  const { categoryPrice, shopping, accusations } = wellFormedJson({
    categoryPrice: state.categoryPrice && { ...state.categoryPrice },
    ...(state.shopping && { shopping: { ...state.shopping } }),
    ...(state.accusations && { accusations: state.accusations.map((one) => ({ ...one })) }),
  })
  // The purchase itself is published later.
  const delivered = state.scored.proof.delivered ? { delivered: true } : {}
  return {
    ...writeLeaf(
      { kind: 'decision', at: toTimestamp(derivedAt), ...plain },
      {
        salt: newSalt(),
        host,
        endpoint,
        terms,
        resourceHosts,
        categoryPrice,
        ...(state.lookalike !== undefined && { lookalike: state.lookalike }),
        shopping,
        accusations,
        ...delivered,
      },
    ),
    key: decisionKey(endpoint),
    about: { host, endpoint },
  }
}

/** All fields of a signed decision except times and counts, which change with each probe. */
export function sayDecision(state: EndpointState) {
  const { verdict, score, riskLevel } = currentVerdict(state, state.derivedAt)
  return {
    verdict,
    ...(score !== null && { score }),
    riskLevel,
    flags: [...state.flags],
    receiverStability: state.receiverStability,
    ...(state.delivery && { delivery: { ...state.delivery } }),
    scoreVersion: state.scoreVersion,
    terms: state.terms.map((term) => ({ ...term })),
    ...(state.resourceHosts && { resourceHosts: [...state.resourceHosts] }),
  }
}

/** Whether two decisions are equal. Runs at each probe, where they nearly always do, in the same order. */
function isSame(a: Decision, b: Decision): boolean {
  if (JSON.stringify(a) === JSON.stringify(b)) return true
  return canonicalJson(wellFormedJson(a)) === canonicalJson(wellFormedJson(b))
}

type Decision = ReturnType<typeof sayDecision>

/** Returns the leaf of an incident that was opened, resolved or disputed. */
export function incidentLeaf(
  incident: Omit<Incident, 'status'> & { readonly status: Incident['status'] | 'disputed' },
  at: Time,
  newSalt: NewSalt,
): NewLeaf {
  const { id, kind, severity, status, host, endpoint, summary, proof } = wellFormedJson(incident)
  return {
    ...writeLeaf(
      { kind: 'incident', at: toTimestamp(at), incident: kind, severity, status },
      { salt: newSalt(), id, host, endpoint, summary, proof },
    ),
    key: `incident ${incident.id} ${incident.status}`,
  }
}

/** Returns the leaf of a test purchase. */
export function purchaseLeaf(purchase: Purchase, newSalt: NewSalt): NewLeaf {
  const { id, at, host, endpoint, payTo, txHash, network, amountAtomic, settled, delivered } = purchase
  return {
    ...writeLeaf(
      { kind: 'purchase', at: toTimestamp(at), network, amountAtomic, settled, delivered },
      { salt: newSalt(), id, host, endpoint, payTo, txHash },
    ),
    key: `purchase ${id}`,
  }
}

/** Returns the leaf of an owner's reply. @param text salted hash of the text, which is not logged */
export function replyLeaf(
  {
    id,
    host,
    endpoint,
    incident,
    text,
  }: Readonly<Record<'id' | 'host' | 'text', string>> &
    Readonly<Record<'endpoint' | 'incident', string | null>>,
  status: 'posted' | 'withdrawn' | 'taken_down',
  at: Time,
  newSalt: NewSalt,
): NewLeaf {
  return {
    ...writeLeaf(
      { kind: 'reply', at: toTimestamp(at), status },
      { salt: newSalt(), host, endpoint, incident, text },
    ),
    key: `reply ${id}`,
  }
}

/** A host's probes of one day, and what else its judgements read; the hashes are SHA-256 of the lines, in base64. */
export type LoggedDay = {
  readonly host: string
  readonly date: string
  readonly count: number
  /** Of the probes. Signed logs fix the name. */
  readonly looks: string
  readonly inputs: string
  /** Outcome of the newest probe of a path that should not exist; null if it was made after the day. */
  readonly control: Outcome | null
}

/** Returns the leaf of a host's probes of one day. */
export function dayLeaf({ host, ...day }: LoggedDay, at: Time, newSalt: NewSalt): NewLeaf {
  return {
    ...writeLeaf({ kind: 'day', at: toTimestamp(at), ...day }, { salt: newSalt(), host }),
    key: dayKey(host, day.date),
    once: true,
  }
}

/** Median price of a category; of everything listed for null. */
export type LoggedPrice = CategoryPrice & { readonly category: string | null }

/** Prices in one leaf, so that its opening stays far below what readers take. */
const PRICES_PER_LEAF = 250

/**
 * Returns the leaves of the category medians of one day. The names of categories are sellers' texts, so they stand in
 * the openings, which can be deleted.
 */
export function inputsLeaves(
  date: string,
  prices: readonly LoggedPrice[],
  at: Time,
  newSalt: NewSalt,
): NewLeaf[] {
  const parts = Math.max(1, Math.ceil(prices.length / PRICES_PER_LEAF))
  return Array.from({ length: parts }, (_, part) => {
    const own = prices.slice(part * PRICES_PER_LEAF, (part + 1) * PRICES_PER_LEAF)
    const opening = { salt: newSalt(), prices: wellFormedJson(own.map((price) => ({ ...price }))) }
    return {
      ...writeLeaf({ kind: 'inputs', at: toTimestamp(at), date, part, parts, count: own.length }, opening),
      key: inputsKey(date, part),
      once: true,
    }
  })
}

/** Returns the leaf of a version of the map. @param sha256 of the map's body, hexadecimal */
export function mapLeaf(version: number, sha256: string, at: Time): NewLeaf {
  return {
    ...writeLeaf({ kind: 'map', at: toTimestamp(at), version, sha256 }, null),
    key: mapKey(version),
    once: true,
  }
}

/**
 * Returns the leaf that a key begins to sign.
 * @param use `decisions` with the thumbprint of a JSON Web Key, else a verifier key
 * @param previous last checkpoint of the log that this one continues, as its signers left it
 */
export function keyLeaf(use: 'decisions' | 'map' | 'log', key: string, at: Time, previous?: string): NewLeaf {
  return {
    ...writeLeaf({ kind: 'key', at: toTimestamp(at), event: 'begins', use, key, previous }, null),
    key: signingKeyKey(key),
    once: true,
  }
}
