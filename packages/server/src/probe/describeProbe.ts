import {
  type Challenge,
  canonicalizeUrl,
  compareResource,
  findDomainFault,
  findUnpublished,
  isSameSite,
  type Offer,
  originOf,
  whyUnpayable,
  X402_HEADERS,
} from '@touchstone402/shared'
import { getAddress } from 'viem'
import type { ClientIdentity } from '../facts/clientIdentities.ts'
import type { ObservedOffer } from '../facts/facts.ts'
import { NO_CHALLENGE, type ObservedChallenge } from '../facts/noChallenge.ts'
import type { ProbeResult, ProbeTarget } from '../ports/prober.ts'
import { isBotFilter } from './botFilter.ts'
import { classifyAnswer } from './classifyAnswer.ts'
import { type Finding, OWN_FAULT } from './classifyFailure.ts'
import { decodeBody } from './decodeBody.ts'
import { isDelivered } from './delivered.ts'
import type { Answer } from './exchange.ts'
import { findOffersSigner } from './signedOffers/findOffersSigner.ts'
import type { ReadDocument } from './signedOffers/publicKeys.ts'

/** Builds the result of an answered probe. @param options.maxBytes limit of the decoded body */
export async function describeAnswer(
  target: ProbeTarget,
  client: ClientIdentity,
  answer: Answer,
  { maxBytes, readDocument }: { readonly maxBytes: number; readonly readDocument: ReadDocument },
): Promise<ProbeResult> {
  const { status, headers, latencyMs, isTooLarge } = answer
  const body = isTooLarge ? 'too_large' : await decodeBody(answer.body, headers['content-encoding'], maxBytes)
  const text = typeof body === 'string' ? null : body.text
  const { outcome, cause, challenge } = classifyAnswer({
    status,
    header: headers[X402_HEADERS.required.toLowerCase()] ?? null,
    authenticate: headers['www-authenticate'],
    body: text,
    isTooLarge: body === 'too_large',
    isBotFilter: isBotFilter(answer, text),
    declaresInput: target.declaresInput,
  })
  const result = describeFailure(target, client, { outcome, cause }, status)
  const offersSignedBy =
    challenge && (await findOffersSigner(challenge, { url: target.url, now: Date.now(), readDocument }))
  const resourceUrl = readOtherSite(challenge?.resource ?? null, target.url)
  return {
    ...result,
    latencyMs: Math.round(latencyMs),
    ...observeChallenge(challenge),
    ...(resourceUrl !== null && { resourceUrl }),
    ...(offersSignedBy && { offersSignedBy }),
    ...(cause === 'not_paid' && isDelivered(answer, target.method) && { delivered: true as const }),
  }
}

/** Returns the canonical URL of a resource that fits except for the site of its host, or null. */
function readOtherSite(resource: string | null, askedUrl: string): string | null {
  const isOther = compareResource(resource, askedUrl, (a, b) => !isSameSite(a, b)) === 'fits'
  if (resource === null || !isOther || compareResource(resource, askedUrl) === 'fits') return null
  try {
    return canonicalizeUrl(new URL(resource, askedUrl).href).key
  } catch {
    return null
  }
}

/** Builds the result of a failed probe. */
export function describeFailure(
  target: ProbeTarget,
  client: ClientIdentity,
  { outcome, cause }: Finding,
  httpStatus: number | null = null,
): ProbeResult {
  return {
    client: client.id,
    method: target.method,
    outcome,
    cause,
    httpStatus,
    latencyMs: null,
    ...NO_CHALLENGE,
  }
}

/** Builds the result of a probe that our own fault prevented. */
export function describeOwnFault(target: ProbeTarget, clients: readonly ClientIdentity[]): ProbeResult {
  return describeFailure(target, identityOf(target, clients), OWN_FAULT)
}

/** Returns the client identity that a probe uses. */
export function identityOf(
  { client }: Pick<ProbeTarget, 'client'>,
  clients: readonly ClientIdentity[],
): ClientIdentity {
  const identity = clients[client % clients.length] ?? clients[0]
  if (identity === undefined) throw new Error('a prober needs at least one client')
  return identity
}

/** Extracts the measured fields of a challenge, without any of the seller's free text. */
export function observeChallenge(challenge: Challenge | null): ObservedChallenge {
  if (challenge === null) return NO_CHALLENGE
  const { versions, declaresInput, declaresOutput, disagreements } = challenge
  return {
    versions,
    offers: challenge.offers.map(observeOffer),
    resourceOrigin: challenge.resource === null ? null : originOf(challenge.resource),
    declaresInput,
    declaresOutput,
    disagreements,
    problems: [...new Set(challenge.problems.map(({ code }) => code))],
  }
}

function observeOffer(offer: Offer): ObservedOffer {
  const { x402Version, scheme, network, asset, payTo, amountAtomic } = offer
  const stockRefuses = findDomainFault(offer)?.kind
  return {
    x402Version,
    scheme,
    network,
    asset: checksum(network, asset),
    payTo: checksum(network, payTo),
    amountAtomic,
    unsafeFlow: findUnpublished(offer),
    // The asset is judged, so that a newer table applies to older probes.
    unpayable: whyUnpayable(offer, true),
    ...(stockRefuses !== undefined && { stockRefuses }),
  }
}

function checksum(network: string, account: string): string {
  // Cannot throw: the decoder has checked the format.
  return network.startsWith('eip155:') ? getAddress(account) : account
}
