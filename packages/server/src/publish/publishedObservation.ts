import type { PublishedObservation } from '@touchstone402/shared'
import { canonicalJson } from '@touchstone402/shared/log'
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

/** Returns the URL of a probe. Probes are stored by endpoint, so that is named. */
export function observationUrl(
  publicUrl: string,
  { id, endpoint }: Pick<Observation, 'id' | 'endpoint'>,
): string {
  return `${publicUrl}/observations/${encodeURIComponent(id)}?endpoint=${encodeURIComponent(endpoint)}`
}

/** Describes a probe as it is published: all that a judgement reads, without headers and addresses. */
function toPublishedObservation(observation: Observation): Omit<PublishedObservation, 'day' | 'userAgent'> {
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
 * @param userAgent user agent of its client identity; null if that is no longer in use
 */
export function publishObservation(
  observation: Observation,
  publicUrl: string,
  leaf: number | null,
  userAgent: string | null,
): PublishedObservation {
  const date = toDate(observation.at)
  const url = `${publicUrl}/log/days/${date}/${encodeURIComponent(observation.host)}`
  return { ...wellFormedJson(toPublishedObservation(observation)), userAgent, day: { date, url, leaf } }
}

/** Writes a probe as a line of its host's day. */
export const writeObservation = (observation: Observation): string =>
  canonicalJson(wellFormedJson(toPublishedObservation(observation)))
