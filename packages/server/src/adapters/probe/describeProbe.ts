import { canonicalizeUrl, compareResource, isSameSite, X402_HEADERS } from '@touchstone402/shared'
import { NO_CHALLENGE } from '../../domain/facts/noChallenge.ts'
import type { ProbeResult, ProbeTarget } from '../../ports/prober.ts'
import { classifyAnswer } from './classifyAnswer.ts'
import { type Finding, OWN_FAULT } from './classifyFailure.ts'
import type { ClientIdentity } from './clients.ts'
import { decodeBody } from './decodeBody.ts'
import type { Answer } from './exchange.ts'
import { observeChallenge } from './observeChallenge.ts'

/** Headers by which Cloudflare, Vercel and AWS WAF mark their own answers. Source: their documentation. */
const BOT_FILTER_HEADERS = ['cf-mitigated', 'x-vercel-mitigated', 'x-amzn-waf-action']

/** Builds the result of an answered probe. @param maxBytes limit of the decoded body */
export async function describeAnswer(
  target: ProbeTarget,
  client: ClientIdentity,
  answer: Answer,
  maxBytes: number,
): Promise<ProbeResult> {
  const { status, headers, latencyMs, isTooLarge } = answer
  const body = isTooLarge ? 'too_large' : await decodeBody(answer.body, headers['content-encoding'], maxBytes)
  const { outcome, cause, challenge } = classifyAnswer({
    status,
    header: headers[X402_HEADERS.required.toLowerCase()] ?? null,
    authenticate: headers['www-authenticate'],
    body: typeof body === 'string' ? null : body.text,
    isTooLarge: body === 'too_large',
    isBotFilter: BOT_FILTER_HEADERS.some((name) => headers[name] !== undefined),
    declaresInput: target.declaresInput,
  })
  const result = describeFailure(target, client, { outcome, cause }, status)
  const resourceUrl = readOtherSite(challenge?.resource ?? null, target.url)
  return {
    ...result,
    latencyMs: Math.round(latencyMs),
    ...observeChallenge(challenge),
    ...(resourceUrl !== null && { resourceUrl }),
  }
}

/** Returns the canonical URL of a resource that fits but for the site of its host, or null. */
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
export function identityOf({ client }: ProbeTarget, clients: readonly ClientIdentity[]): ClientIdentity {
  const identity = clients[client % clients.length] ?? clients[0]
  if (identity === undefined) throw new Error('a prober needs at least one client')
  return identity
}
