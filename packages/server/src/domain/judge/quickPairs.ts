import type { Time } from '../facts/facts.ts'
import { LIMITS } from './spec.ts'
import { type Differ, payeesDiffer, pricesDiffer, type Seen, textOf } from './terms.ts'

/** Two probes by one client within a minute that differ. */
export type QuickPair = { readonly at: Time; readonly ids: readonly [string, string] }

/** What finds terms that change from request to request. */
export type QuickPairs = {
  /** Of the last minute the newest probe of each client and terms, oldest first. */
  readonly minute: readonly Seen[]
  /** The newest pair that names different receivers. */
  readonly rotation: QuickPair | null
  /** The newest pair that asks different amounts. */
  readonly dynamicPrice: QuickPair | null
}

/** Maximum number of terms kept of the last minute, and of their characters. With more, older evidence of the same finding stays in use. */
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
    minute: keepNewest([...others, probe]),
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
