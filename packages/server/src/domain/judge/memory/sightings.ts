import type { Time } from '../../facts/facts.ts'
import { addressesOf, type ReceiverSets } from '../offers.ts'
import { addMark, hasMark, NO_MARKS } from './marks.ts'
import { type Differ, payeesDiffer, type Seen, type Terms, termsDiffer, textOf } from './terms.ts'

/** When a client saw some terms first; 0 if they may have been seen before and are forgotten. */
export type Sighting = { readonly client: string; readonly terms: Terms; readonly at: Time }

/** Memory of which client saw which terms. */
export type Sightings = {
  /** In order of the first; those of terms that were forgotten at the place where they were seen again. */
  readonly list: readonly Sighting[]
  /** The terms in the list, the least recently seen first. */
  readonly recent: readonly { readonly terms: Terms }[]
  /** Marks of forgotten terms. */
  readonly forgotten: string
}

/** How terms are told apart: which differ, what is kept of them, and what any two share that do not differ. */
export type Telling = {
  readonly differ: Differ
  readonly keep: (terms: Terms) => Terms
  readonly marksOf: (terms: Terms) => readonly string[]
}

/**
 * Maximum number of terms and of their characters, the least recently seen left out. A mark of these stays, so that a
 * cache never explains terms that may be old: the cap fails towards `cloaked`.
 */
const MAX_TERMS = 24
const MAX_LENGTH = 3000

export const NO_SIGHTINGS: Sightings = { list: [], recent: [], forgotten: NO_MARKS }

/** Adds a probe. */
export function addSighting(before: Sightings, probe: Seen, telling: Telling): Sightings {
  const { client, terms, at } = probe
  const kept = telling.keep(terms)
  const text = textOf(kept)
  const isSame = (one: { readonly terms: Terms }) => textOf(one.terms) === text
  const last = before.recent.at(-1)
  const isLast = last !== undefined && isSame(last)
  const recent = isLast ? before.recent : [...before.recent.filter((one) => !isSame(one)), { terms: kept }]
  if (before.list.some((one) => one.client === client && isSame(one)))
    return isLast ? before : { ...before, recent }
  const isForgotten = telling.marksOf(kept).some((mark) => hasMark(before.forgotten, mark))
  const list = [...before.list, { client, terms: kept, at: isForgotten ? 0 : at }]
  return forget({ list, recent, forgotten: before.forgotten }, telling)
}

function forget(before: Sightings, telling: Telling): Sightings {
  let { list, recent, forgotten } = before
  const length = () => recent.reduce((sum, { terms }) => sum + textOf(terms).length, 0)
  while (recent.length > MAX_TERMS || (recent.length > 1 && length() > MAX_LENGTH)) {
    const [gone, ...others] = recent
    if (gone === undefined) break
    const text = textOf(gone.terms)
    recent = others
    list = list
      .filter(({ terms }) => textOf(terms) !== text)
      .map((one) => (telling.differ(one.terms, gone.terms) ? one : { ...one, at: 0 }))
    for (const mark of telling.marksOf(gone.terms)) forgotten = addMark(forgotten, mark)
  }
  return { list, recent, forgotten }
}

/** Whether some terms may have been seen before they were forgotten. */
export function mayBeOld({ list }: Pick<Sightings, 'list'>, terms: Terms, differ: Differ): boolean {
  return list.some((one) => one.at === 0 && !differ(one.terms, terms))
}

/** Terms told apart as a whole. Those of one price may differ in their receivers only in part, so the price is marked. */
export const BY_TERMS: Telling = {
  differ: termsDiffer,
  keep: (terms) => terms,
  marksOf: ({ price, disagrees }) => [
    price === null ? '' : JSON.stringify([...Object.values(price), disagrees]),
  ],
}

/** Terms told apart by their receivers. */
export const BY_PAYEES: Telling = {
  differ: payeesDiffer,
  keep: ({ receivers }) => payeesOf(receivers),
  marksOf: ({ receivers }) => [...addressesOf(receivers)],
}

const known = new WeakMap<ReceiverSets, Terms>()

function payeesOf(receivers: ReceiverSets): Terms {
  const terms = known.get(receivers) ?? { receivers, price: null, disagrees: false }
  known.set(receivers, terms)
  return terms
}
