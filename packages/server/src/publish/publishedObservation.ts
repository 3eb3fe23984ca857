import type { PublishedObservation } from '@touchstone402/shared'
import { canonicalJson } from '@touchstone402/shared/leaves'
import type { Observation, Time } from '../facts/facts.ts'
import { DAY, toDate, toTimestamp } from '../facts/times.ts'
import { wellFormedJson } from './wellFormed.ts'

/** Age from which a probe is published that no finding cites. */
const PUBLISHED_AFTER_MS = DAY

/**
 * Whether a probe may be shown.
 * @param isCited whether a finding cites it, whose first probes are public at once. @default false
 */
export function isPublished(observation: Pick<Observation, 'at'>, now: Time, isCited = false): boolean {
  return isCited || publishedFrom(observation) <= now
}

/** Returns the time from which a probe is published that no finding cites. */
export function publishedFrom({ at }: Pick<Observation, 'at'>): Time {
  return at + PUBLISHED_AFTER_MS
}

/** Whether the exact time and the client of a probe are withheld: a seller could provoke findings and learn who probes. */
export const isWithheld = (observation: Pick<Observation, 'at'>, now: Time): boolean =>
  !isPublished(observation, now)

/** Returns the begin of a time's day in UTC. */
export const beginOfDay = (at: Time): Time => Date.parse(toDate(at))

/** Returns when a probe was made, to the day while its exact time is withheld. */
export const shownTime = (observation: Pick<Observation, 'at'>, now: Time): Time =>
  isWithheld(observation, now) ? beginOfDay(observation.at) : observation.at

/** Describes when and by whom a probe was made, as far as that is published. */
export function describeAsked({ at, client }: Pick<Observation, 'at' | 'client'>, now: Time) {
  if (!isWithheld({ at }, now)) return { at: toTimestamp(at), client }
  return { at: toTimestamp(beginOfDay(at)), client: null, exactFrom: roundedFrom({ at }) }
}

/** Returns the begin of the first day on which a probe is published whole: the exact time would tell when it was made. */
export const roundedFrom = (observation: Pick<Observation, 'at'>): string =>
  toTimestamp(beginOfDay(publishedFrom(observation)) + DAY)

/** Numbers the client identities of probes in the order of the probes, from 1. */
export function numberIdentities(observations: readonly Pick<Observation, 'client'>[]) {
  const clients = [...new Set(observations.map(({ client }) => client))]
  return (client: string): number => clients.indexOf(client) + 1
}

/** Returns the URL of a probe. Probes are stored by endpoint, so that is named. */
export function observationUrl(
  publicUrl: string,
  { id, endpoint }: Pick<Observation, 'id' | 'endpoint'>,
): string {
  return `${publicUrl}/observations/${encodeURIComponent(id)}?endpoint=${encodeURIComponent(endpoint)}`
}

/** A probe as it is published, without its day. */
export type PublishedProbe = Omit<PublishedObservation, 'day' | 'userAgent'>

/**
 * Describes a cited probe as it is published at once. The latency would tell a seller which of its answers it was, the gap
 * when it was made.
 */
export function publishProbe(observation: Observation, now: Time): PublishedProbe {
  const published = wellFormedJson(toPublishedObservation(observation))
  if (!isWithheld(observation, now)) return published
  const { gapMs: _, ...shown } = published
  return { ...shown, ...describeAsked(observation, now), latencyMs: null }
}

/** Describes a probe as its day publishes it: all that a judgement reads, without headers and addresses. */
function toPublishedObservation(observation: Observation): PublishedProbe {
  const { id, endpoint, at, client, purpose, method, outcome, cause, httpStatus, latencyMs } = observation
  const { resourceOrigin, resourceAsked, declaresInput, declaresOutput, request, reread } = observation
  const { offersSignedBy, delivered, gapMs, input } = observation
  return {
    id,
    endpoint,
    at: toTimestamp(at),
    client,
    purpose,
    method,
    outcome,
    cause,
    httpStatus,
    latencyMs,
    versions: [...observation.versions],
    offers: observation.offers.map(({ unpayable, stockRefuses, ...offer }) => ({
      x402Version: offer.x402Version,
      scheme: offer.scheme,
      network: offer.network,
      asset: offer.asset,
      payTo: offer.payTo,
      amountAtomic: offer.amountAtomic,
      unsafeFlow: offer.unsafeFlow,
      ...(unpayable !== undefined && { unpayable }),
      ...(stockRefuses !== undefined && { stockRefuses }),
    })),
    disagreements: observation.disagreements.map((disagreement) => JSON.stringify(disagreement)),
    problems: [...observation.problems],
    resourceOrigin,
    declaresInput,
    declaresOutput,
    ...(resourceAsked !== undefined && { leadsHere: resourceAsked.leadsHere }),
    ...(request !== undefined && { request }),
    ...(gapMs !== undefined && { gapMs }),
    ...(input !== undefined && { input }),
    ...(reread === true && { reread }),
    ...(offersSignedBy !== undefined && { offersSignedBy }),
    ...(delivered === true && { delivered }),
  }
}

/**
 * Describes a probe as its own page publishes it: the line of its host's day, who asked, and where that day is found.
 * @param leaf log entry of the day; null if it is not logged yet
 * @param userAgent user agent of its client identity; null if that is no longer in use, or withheld
 */
export function publishObservation(
  observation: Observation,
  publicUrl: string,
  leaf: number | null,
  userAgent: string | null,
  now: Time,
): PublishedObservation {
  const date = toDate(observation.at)
  const url = `${publicUrl}/log/days/${date}/${encodeURIComponent(observation.host)}`
  return {
    ...publishProbe(observation, now),
    userAgent: isWithheld(observation, now) ? null : userAgent,
    day: { date, url, leaf },
  }
}

/** Writes a probe as a line of its host's day. */
export const writeObservation = (observation: Observation): string =>
  canonicalJson(wellFormedJson(toPublishedObservation(observation)))
