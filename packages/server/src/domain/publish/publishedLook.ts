import type { PublishedLook } from '@touchstone402/shared'
import { canonicalJson } from '@touchstone402/shared/log'
import type { Observation } from '../facts/facts.ts'
import { toTimestamp } from '../facts/times.ts'
import { wellFormedJson } from './wellFormed.ts'

/** Describes a probe as it is published: all that a judgement reads, without headers and addresses. */
export function toPublishedLook(look: Observation): Omit<PublishedLook, 'day'> {
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

/** Writes a probe as a line of its host's day. */
export const writeLook = (look: Observation): string => canonicalJson(wellFormedJson(toPublishedLook(look)))
