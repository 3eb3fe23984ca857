import { type Challenge, describeProblem, findNetwork, formatUsdc } from '@touchstone402/shared'
import { formatUsd } from '../formatUsd.ts'
import type { ReasonCode } from '../reasons.ts'
import { explainProtocols, type FullChallenge } from './otherProtocols.ts'
import { MAX_AUTHORIZATION_SECONDS, type Policy } from './policySchema.ts'
import { findForeignVersion, type Screened } from './screen.ts'

/**
 * Explains a refusal of {@link screen}: the values in a sentence, with the entries that could not be read, and the part of a
 * policy that would allow the offer.
 */
export function explainScreened(
  screened: Screened,
  policy: Policy,
  challenge: FullChallenge,
): { details?: string | undefined; allowedBy?: string } {
  const { details = explainChallenge(screened.code, challenge), ...explained } = explainOffer(
    screened,
    policy,
  )
  const unread = ABOUT_URL.includes(screened.code) ? undefined : describeUnread(challenge)
  return {
    ...explained,
    details: [details, unread].filter((text) => text !== undefined).join(' ') || undefined,
  }
}

function explainChallenge(code: ReasonCode, challenge: FullChallenge): string | undefined {
  const { authenticate, expiredAt } = challenge
  if (code === 'PROTOCOL_NOT_SUPPORTED') return explainProtocols(authenticate)
  if (code === 'CHALLENGE_MALFORMED') {
    const version = findForeignVersion(challenge)
    const other = version === 1 ? 2 : 1
    return version && `An offer of version ${version} names its network as version ${other} does.`
  }
  if (code !== 'CHALLENGE_EXPIRED' || expiredAt === undefined) return undefined
  return `It ended at ${new Date(expiredAt).toISOString()}.`
}

/** Refusals that no offer causes. */
const ABOUT_URL: readonly ReasonCode[] = ['INSECURE_HTTP', 'HOST_NOT_ALLOWED']

/** A challenge may have 64 entries. */
const MOST_DESCRIBED = 3

function describeUnread(challenge: Challenge): string | undefined {
  // A body and a header may have the same fault.
  const texts = [...new Set(challenge.problems.flatMap((one) => describeProblem(challenge, one) ?? []))]
  const rest = texts.length > MOST_DESCRIBED ? [`and ${texts.length - MOST_DESCRIBED} more`] : []
  return texts.length === 0 ? undefined : `${[...texts.slice(0, MOST_DESCRIBED), ...rest].join('; ')}.`
}

function explainOffer(
  { code, details, refused, upfrontUsdMicros }: Screened,
  policy: Policy,
): { details?: string | undefined; allowedBy?: string } {
  if (refused === undefined) return { details }
  const { network, maxTimeoutSeconds: seconds } = refused
  if (code === 'NETWORK_NOT_ALLOWED')
    return { details, ...(findNetwork(network) && { allowedBy: `"networks" with "${network}"` }) }
  if (code === 'AUTHORIZATION_TOO_LONG') {
    // The seller's library chooses the lifetime; one common library asks for 24 hours by default.
    const why = `The offer asks for ${seconds} seconds, the policy allows ${policy.maxAuthorizationSeconds}. The seller sets it: maxTimeoutSeconds of its x402 library, or routeConfig.maxTimeoutSeconds of thirdweb, by default 86400.`
    const canAllow = seconds <= MAX_AUTHORIZATION_SECONDS
    return { details: why, ...(canAllow && { allowedBy: `"maxAuthorizationSeconds": ${seconds}` }) }
  }
  if (upfrontUsdMicros === undefined) return { details }
  return {
    details: `It is to be paid before delivery, for at most ${formatUsd(policy.allowUpfrontUpToUsd ?? '0')}.`,
    allowedBy: `"allowUpfrontUpToUsd": "${formatUsdc(upfrontUsdMicros)}"`,
  }
}
