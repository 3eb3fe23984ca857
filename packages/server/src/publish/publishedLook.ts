import type { PublishedLook } from '@touchstone402/shared'
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
export function isPublished(look: Pick<Observation, 'at'>, now: Time, isCited = false): boolean {
  return isCited || publishedFrom(look) <= now
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
function toPublishedLook(look: Observation): Omit<PublishedLook, 'day' | 'userAgent'> {
  const { id, endpoint, at, client, purpose, method, outcome, cause, httpStatus, latencyMs } = look
  const { resourceOrigin, resourceAsked, declaresInput, declaresOutput, request, reread } = look
  const { offersSignedBy, delivered } = look
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
    versions: [...look.versions],
    offers: look.offers.map(
      ({
        x402Version,
        scheme,
        network,
        asset,
        payTo,
        amountAtomic,
        unsafeFlow,
        unpayable,
        stockRefuses,
      }) => ({
        ...{ x402Version, scheme, network, asset, payTo, amountAtomic, unsafeFlow },
        ...(unpayable !== undefined && { unpayable }),
        ...(stockRefuses !== undefined && { stockRefuses }),
      }),
    ),
    disagreements: look.disagreements.map((disagreement) => JSON.stringify(disagreement)),
    problems: [...look.problems],
    resourceOrigin,
    declaresInput,
    declaresOutput,
    ...(resourceAsked !== undefined && { leadsHere: resourceAsked.leadsHere }),
    ...(request !== undefined && { request }),
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
export function publishLook(
  look: Observation,
  publicUrl: string,
  leaf: number | null,
  userAgent: string | null,
): PublishedLook {
  const date = toDate(look.at)
  const url = `${publicUrl}/log/days/${date}/${encodeURIComponent(look.host)}`
  return { ...wellFormedJson(toPublishedLook(look)), userAgent, day: { date, url, leaf } }
}

/** Writes a probe as a line of its host's day. */
export const writeLook = (look: Observation): string => canonicalJson(wellFormedJson(toPublishedLook(look)))
