import type { Time } from '../../facts/facts.ts'
import { LIMITS } from '../spec.ts'
import { type Differ, payeesDiffer, pricesDiffer, type Seen, textOf } from './terms.ts'

/** Two probes by one client within a minute that differ. */
export type QuickPair = { readonly at: Time; readonly ids: readonly [string, string] }

/** Memory for finding terms that change from request to request. */
export type QuickPairs = {
  /** Of the last minute the newest probes of each client that the next one may differ from, oldest first. */
  readonly minute: readonly Seen[]
  /** The newest pair that names different receivers. */
  readonly rotation: QuickPair | null
  /** The newest pair that asks different amounts. */
  readonly dynamicPrice: QuickPair | null
}

/** Maximum number of probes kept of the last minute, and of their characters. With more, older evidence of the same finding stays in use. */
const KEPT = 16
const MAX_LENGTH = 4000

export const NO_QUICK_PAIRS: QuickPairs = { minute: [], rotation: null, dynamicPrice: null }

/** Adds a probe that returned terms. */
export function addQuickPair({ minute, rotation, dynamicPrice }: QuickPairs, probe: Seen): QuickPairs {
  const recent = minute.filter(({ at }) => at >= probe.at - LIMITS.rotationWithinMs)
  const pairBy = (differ: Differ): QuickPair | null => {
    const earlier = recent.findLast(
      ({ client, terms }) => client === probe.client && differ(terms, probe.terms),
    )
    return earlier === undefined ? null : { at: probe.at, ids: [earlier.id, probe.id] }
  }
  const others = recent.filter(
    ({ client, terms }) => client !== probe.client || textOf(terms) !== textOf(probe.terms),
  )
  return {
    minute: keepNewest(keepTelling([...others, probe])),
    rotation: pairBy(payeesDiffer) ?? rotation,
    dynamicPrice: pairBy(pricesDiffer) ?? dynamicPrice,
  }
}

/** Returns the newest two probes by one client within a minute that name different receivers, for 30 days. */
export const findRotation = ({ rotation }: QuickPairs, now: Time): QuickPair | null => recentOf(rotation, now)

/** Returns the newest two probes by one client within a minute that ask different amounts, for 30 days. */
export const findDynamicPrice = ({ dynamicPrice }: QuickPairs, now: Time): QuickPair | null =>
  recentOf(dynamicPrice, now)

const recentOf = (pair: QuickPair | null, now: Time) =>
  pair !== null && pair.at >= now - LIMITS.rotationMemoryMs ? pair : null

/**
 * Keeps of each client the newest probes at two prices and at four lists of receivers: another price differs from one of
 * the two, so that many prices within a minute do not push receivers out of memory.
 */
function keepTelling(minute: readonly Seen[]): readonly Seen[] {
  if (minute.length <= 2) return minute
  const prices = new Map<string, Set<string>>()
  const receivers = new Map<string, Set<string>>()
  const isAmong = (known: Map<string, Set<string>>, client: string, text: string, most: number) => {
    const texts = known.get(client) ?? new Set()
    known.set(client, texts)
    const isNew = !texts.has(text) && texts.size < most
    if (isNew) texts.add(text)
    return isNew
  }
  return minute
    .toReversed()
    .filter(({ client, terms }) => {
      const price = JSON.stringify([terms.price, terms.disagrees])
      const isNewPrice = isAmong(prices, client, price, 2)
      return isAmong(receivers, client, JSON.stringify(terms.receivers), 4) || isNewPrice
    })
    .toReversed()
}

function keepNewest(minute: readonly Seen[]): readonly Seen[] {
  const kept = minute.slice(-KEPT)
  if (kept.length < 3) return kept
  let length = 0
  const start = kept.findLastIndex(({ terms }) => {
    length += textOf(terms).length
    return length > MAX_LENGTH
  })
  return kept.slice(Math.min(start + 1, kept.length - 2))
}
