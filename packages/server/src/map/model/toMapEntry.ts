import { MAX_OFFERS, type MapEntry, type MapOffer, SLOT_MS } from '@touchstone402/shared/map'
import type { Time } from '../../facts/facts.ts'
import type { EndpointState } from '../../facts/hostDocument.ts'
import { LIMITS } from '../../judge/spec.ts'
import { currentVerdict } from '../../publish/verdict.ts'

const FEW_PROBES = 3
// Below the bound of a row, whose texts are UTF-8.
const MAX_TERM_CHARS = 400

/**
 * Returns the map entry of an endpoint; null if it is unknown or expires within the slot. An unknown endpoint of high risk
 * gets an entry, since it is not to be paid either: a host that declines probes does not leave the map.
 */
export function toMapEntry(state: EndpointState, now: Time): MapEntry | null {
  const { verdict, score, riskLevel } = currentVerdict(state, now)
  const isRisky = riskLevel === 'high'
  const judgedUntil = isRisky ? state.derivedAt + LIMITS.verdictLifetimeMs : 0
  const expiresAt = Math.max(state.expiresAt ?? 0, judgedUntil)
  if (verdict === 'unknown' && !isRisky) return null
  // Rounded down: the map never outlives the verdict, or at high risk the time of one.
  const expirySlot = Math.floor(expiresAt / SLOT_MS)
  if (expirySlot * SLOT_MS <= now || !areEncodable(state.terms)) return null
  const delivered = deliveredOf(state)
  return {
    verdict,
    ...(score !== null && { score }),
    riskLevel,
    receiverStability: state.receiverStability,
    isThin: state.uptime.up + state.uptime.down < FEW_PROBES,
    rotates: state.flags.includes('payto_rotates'),
    ...(delivered && { delivered }),
    expirySlot,
    ...(state.resourceHosts &&
      state.resourceHosts.length > 0 && { resourceHosts: state.resourceHosts.slice(0, 64) }),
    offers: verdict === 'unknown' ? [] : mergeOffers(state.terms),
  }
}

/** Returns the delivery that an entry states. Of other outcomes no guard needs more than that they are none. */
function deliveredOf({ delivery }: EndpointState): MapEntry['delivered'] {
  if (delivery?.status !== 'delivered' || delivery.month === null) return undefined
  return { month: delivery.month, paidUsd: delivery.paidUsd ?? 0 }
}

// Sellers choose these texts. What has no room in the map is unknown to its readers, never safe.
function areEncodable(terms: EndpointState['terms']): boolean {
  return (
    terms.length <= MAX_OFFERS &&
    terms.every((term) => Object.values(term).every((value) => String(value).length <= MAX_TERM_CHARS / 3))
  )
}

// Both protocol versions of one offer are one in the map.
function mergeOffers(terms: EndpointState['terms']): MapOffer[] {
  if (terms.length < 2) return terms.map(({ x402Version: _, ...term }) => term)
  const offers = new Map<string, MapOffer>()
  for (const { x402Version: _, ...term } of terms) offers.set(JSON.stringify(term), term)
  return [...offers.values()]
}
