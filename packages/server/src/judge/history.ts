import type { Change } from '@touchstone402/shared'
import { hasTerms, type Observation, type ObservedOffer, type Time } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { remember, vouchedOffers } from './offers.ts'
import { NO_PAST, type Past, statusBefore } from './past.ts'
import { settleRefusals } from './refusals.ts'
import { LIMITS } from './spec.ts'
import { type Seen, toSeen } from './terms.ts'

/** Stored history of an endpoint. */
export type StoredPast = {
  /** Probes, oldest first. Control probes and those before the last 90 days or the newest 2,000 are left out. */
  readonly observations: readonly Observation[]
  /** Whether no older probe was ever made. */
  readonly isWhole: boolean
  /** Published changes, oldest first. */
  readonly changes: readonly Change[]
  /** The state of the last judgement, if any. */
  readonly before?: EndpointState | undefined
}

/** The probes of an endpoint that a judgement reads, oldest first. */
export type History = {
  /** All of them, refusals settled. */
  readonly observations: readonly Observation[]
  /** Those that returned terms. */
  readonly probes: readonly Observation[]
  readonly seen: readonly Seen[]
  /** State from before them. */
  readonly past: Past
}

/** Maximum number of offers of one probe that are judged. */
const MAX_OFFERS = 32

/** Selects the probes that a judgement reads. */
export function toHistory(
  { observations: stored, isWhole, changes, before }: StoredPast,
  now: Time,
): History {
  const own = stored.filter(({ purpose }) => purpose !== 'control')
  const kept = own.filter(({ at }) => at > now - LIMITS.keptProbesMs).slice(-LIMITS.keptProbes)
  const isCut = !isWhole || kept.length < own.length
  const past = isCut
    ? { until: kept[0]?.at ?? now, judgedAt: before?.derivedAt ?? now, changes, state: before }
    : NO_PAST
  const { status } = statusBefore(past)
  const wasDown = status === 'dark' || status === 'invalid'
  const observations = settleRefusals(shareOffers(kept.map(limitOffers)), wasDown)
  const probes = observations.filter(hasTerms)
  return { observations, probes, seen: probes.map(toSeen), past }
}

/**
 * Limits a probe to the offers that a verdict vouches for first. Beyond these it is unknown which offer a client will take,
 * so such a probe counts as one whose offers contradict each other.
 */
export function limitOffers(observation: Observation): Observation {
  const { offers, disagreements } = observation
  if (offers.length <= MAX_OFFERS) return observation
  const vouched = vouchedOffers(observation)
  const ranked = [...vouched, ...offers.filter((offer) => !vouched.includes(offer))]
  const { network, asset, scheme } = ranked[0] ?? { network: '', asset: '', scheme: '' }
  const crowded = [{ field: 'payTo' as const, network, asset, scheme, values: [] }]
  return {
    ...observation,
    offers: ranked.slice(0, MAX_OFFERS),
    disagreements: disagreements.length > 0 ? disagreements : crowded,
  }
}

const textOf = remember(({ offers }) => JSON.stringify(offers))

/** Gives probes that saw the same offers one list of them, so that what is derived from it is derived once. */
function shareOffers(observations: readonly Observation[]): readonly Observation[] {
  const lists = new Map<string, readonly ObservedOffer[]>()
  return observations.map((observation) => {
    const text = textOf(observation)
    const offers = lists.get(text) ?? observation.offers
    lists.set(text, offers)
    return offers === observation.offers ? observation : { ...observation, offers }
  })
}
