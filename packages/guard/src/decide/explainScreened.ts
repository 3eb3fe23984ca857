import { findNetwork, formatUsdc } from '@touchstone402/shared'
import { formatUsd } from '../formatUsd.ts'
import { MAX_AUTHORIZATION_SECONDS, type Policy } from './policyTypes.ts'
import type { Screened } from './screen.ts'

/** Explains a refusal of {@link screen}: the values in a sentence, and the part of a policy that would allow the offer. */
export function explainScreened(
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
