import {
  type Challenge,
  canonicalizeUrl,
  compareResource,
  findDisagreements,
  findDomainFault,
  findUnpublished,
  isSameSite,
  originOf,
  type SignableOffer,
  versionsOf,
  whyUnpayable,
  X402_HEADERS,
} from '@touchstone402/shared'
import { getAddress } from 'viem'
import { type ClientIdentity, realIdentity } from '../facts/clientIdentities.ts'
import type { ObservedOffer } from '../facts/facts.ts'
import { NO_CHALLENGE, type ObservedChallenge } from '../facts/noChallenge.ts'
import type { ProbeResult, ProbeTarget } from '../lib/prober.ts'
import type { Answer } from './answer.ts'
import { isBotFilter } from './botFilter.ts'
import { classifyAnswer } from './classifyAnswer.ts'
import { type Finding, OWN_FAULT } from './classifyFailure.ts'
import { type DecodedBody, decodeBody } from './decodeBody.ts'
import { isDelivered } from './delivered.ts'
import { findOffersSigner } from './signedOffers/findOffersSigner.ts'
import type { ReadDocument } from './signedOffers/publicKeys.ts'

const HTML = /^\s*(text\/html|application\/xhtml\+xml)\b/i

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
  const { outcome, cause, challenge, signable } = classifyAnswer({
    status,
    header: headers[X402_HEADERS.required.toLowerCase()] ?? null,
    authenticate: headers['www-authenticate'],
    body: text,
    isTooLarge: body === 'too_large',
    isHidden: isHidden(answer, body),
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
    ...observeChallenge(challenge, signable),
    ...(resourceUrl !== null && { resourceUrl }),
    ...(offersSignedBy && { offersSignedBy }),
    ...(cause === 'not_paid' && isDelivered(answer, target.method) && { delivered: true as const }),
  }
}

/** Whether some client may take terms from what was not read: clients read any type, but a page is none. */
function isHidden({ headers }: Answer, body: DecodedBody): boolean {
  const isHidden = typeof body === 'string' ? body === 'too_large' : body.isHidden
  return isHidden && !HTML.test(headers['content-type'] ?? '')
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
  const identity = realIdentity(client) ?? clients[client % clients.length] ?? clients[0]
  if (identity === undefined) throw new Error('a prober needs at least one client')
  return identity
}

/**
 * Extracts the measured fields of a challenge, without any of the seller's free text.
 * @param signable its offers
 */
export function observeChallenge(
  challenge: Challenge | null,
  signable: readonly SignableOffer[],
): ObservedChallenge {
  if (challenge === null) return NO_CHALLENGE
  const { declaresInput, declaresOutput } = challenge
  return {
    versions: versionsOf(signable),
    offers: signable.map(observeOffer),
    resourceOrigin: challenge.resource === null ? null : originOf(challenge.resource),
    declaresInput,
    declaresOutput,
    disagreements: findDisagreements(signable),
    problems: [...new Set(challenge.problems.map(({ code }) => code))],
  }
}

function observeOffer(offer: SignableOffer): ObservedOffer {
  const { x402Version, scheme, network, asset, payTo, amountAtomic, mostAtomic, isLenient, protocol } = offer
  const isMpp = protocol === 'mpp'
  const stockRefuses = isMpp ? undefined : findDomainFault(offer)?.kind
  return {
    x402Version,
    scheme,
    network,
    asset: checksum(network, asset),
    payTo: checksum(network, payTo),
    amountAtomic,
    unsafeFlow: isMpp ? null : findUnpublished(offer),
    // The asset is judged, so that a newer table applies to older probes.
    unpayable: isMpp ? 'scheme' : whyUnpayable(offer, true),
    ...(stockRefuses !== undefined && { stockRefuses }),
    ...(mostAtomic !== undefined && { mostAtomic }),
    ...(isLenient && { lenient: true as const }),
    ...(protocol !== undefined && { protocol }),
  }
}

function checksum(network: string, account: string): string {
  // Cannot throw: the decoder has checked the format.
  return network.startsWith('eip155:') ? getAddress(account) : account
}
