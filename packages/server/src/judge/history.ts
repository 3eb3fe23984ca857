import type { Change } from '@touchstone402/shared'
import { hasTerms, type Observation, type ObservedOffer, type Time } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { type Comparison, compareMore, compareProbes } from './clients.ts'
import { remember, signableOffers } from './offers.ts'
import { NO_PAST, type Past, statusBefore } from './past.ts'
import { settleRefusals } from './refusals.ts'
import { LIMITS } from './spec.ts'
import { type Seen, toSeen } from './terms.ts'

/** Stored history of an endpoint. */
export type StoredPast = {
  /**
   * Probes, oldest first. Control probes, those before the last 90 days, and those before the newest 2,000, or 200 of live
   * checks, are left out.
   */
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
  /** The stored probes and records that it is made of. */
  readonly stored: StoredPast
  /** All of them, refusals settled. */
  readonly observations: readonly Observation[]
  /** Those that returned terms. */
  readonly probes: readonly Observation[]
  readonly seen: readonly Seen[]
  /** Those that returned terms for other input than the usual one; no other list has them. */
  readonly inputs: readonly Observation[]
  /** Comparison of these probes. */
  readonly comparison: Comparison
  /** State from before them. */
  readonly past: Past
}

/** Maximum number of offers of one probe that are judged. */
const MAX_OFFERS = 32

/** Selects the probes that a judgement reads. */
export function toHistory(stored: StoredPast, now: Time): History {
  const { isWhole, changes, before } = stored
  const own = stored.observations.filter(isUsual)
  const kept = keepNewest(own.filter(({ at }) => at > now - LIMITS.keptProbesMs))
  const isCut = !isWhole || kept.length < own.length
  const past = isCut
    ? { until: kept[0]?.at ?? now, judgedAt: before?.derivedAt ?? now, changes, state: before }
    : NO_PAST
  const observations = settle(kept.map(limitOffers), past)
  const probes = observations.filter(hasTerms)
  const seen = probes.map(toSeen)
  const inputs = inputsOf(stored, now)
  return { stored, observations, probes, seen, inputs, comparison: compareProbes(seen, now), past }
}

/**
 * Adds probes to a history, and lets time pass: the same as the history of all of them. Only if a probe is too old by now,
 * or one too many, everything is read again.
 */
export function addProbes(history: History, found: readonly Observation[], now: Time): History {
  const { stored, past } = history
  const all = { ...stored, observations: [...stored.observations, ...found] }
  const joined = [...history.observations, ...found.filter(isUsual).map(limitOffers)]
  const isFull =
    keepNewest(joined).length < joined.length || joined.some(({ at }) => at <= now - LIMITS.keptProbesMs)
  // A past that is cut ends at the first probe that is read.
  const hasFirst = past === NO_PAST || history.observations.length > 0
  if (isFull || !hasFirst) return toHistory(all, now)
  const observations = settle(joined, past)
  const judgedAt = stored.before?.derivedAt ?? now
  const added = observations.slice(history.observations.length).filter(hasTerms)
  const seen = [...history.seen, ...added.map(toSeen)]
  return {
    stored: all,
    observations,
    probes: [...history.probes, ...added],
    seen,
    inputs: inputsOf(all, now),
    comparison: compareMore(history.comparison, history.seen.length, seen, now),
    past: past === NO_PAST ? past : { ...past, judgedAt },
  }
}

/** Limits live checks separately, so that they displace no scheduled probe: anybody may buy them. */
function keepNewest(observations: readonly Observation[]): readonly Observation[] {
  if (observations.length <= LIMITS.keptLiveProbes) return observations
  const live = observations.filter(({ purpose }) => purpose === 'live').length
  let surplusLive = live - LIMITS.keptLiveProbes
  let surplus = observations.length - live - LIMITS.keptProbes
  return observations.filter(({ purpose }) => (purpose === 'live' ? surplusLive-- : surplus--) <= 0)
}

/** Whether a probe asked the endpoint itself with the usual input. */
/** Whether a probe of the endpoint itself sent the usual input. */
export const isUsual = ({ purpose, input }: Observation) => purpose !== 'control' && input === undefined

const inputsOf = ({ observations }: StoredPast, now: Time) =>
  observations
    .filter((probe) => probe.input !== undefined && hasTerms(probe) && probe.at > now - LIMITS.inputMemoryMs)
    .map(limitOffers)

function settle(observations: readonly Observation[], past: Past): readonly Observation[] {
  const { status } = statusBefore(past)
  return settleRefusals(shareOffers(observations), status === 'dark' || status === 'invalid')
}

/**
 * Limits a probe to the signable offers that come first. Beyond these it is unknown which offer a client will take,
 * so such a probe counts as one whose offers contradict each other.
 */
export function limitOffers(observation: Observation): Observation {
  const { offers, disagreements } = observation
  if (offers.length <= MAX_OFFERS) return observation
  const signable = signableOffers(observation)
  const { network, asset, scheme } = signable[0] ?? { network: '', asset: '', scheme: '' }
  const crowded = [{ field: 'payTo' as const, network, asset, scheme, values: [] }]
  return {
    ...observation,
    offers: signable.slice(0, MAX_OFFERS),
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
