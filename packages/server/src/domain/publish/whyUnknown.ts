import type { Time } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { LIMITS } from '../judge/spec.ts'

/**
 * Why a verdict is unknown: no measurement yet, none recently, or all offers are on networks, or in forms, that are not
 * known, so that another probe changes nothing.
 */
export type WhyUnknown = 'never' | 'expired' | 'elsewhere'

/** Returns why the verdict on an endpoint is unknown. Other verdicts have no reason to be. */
export function whyUnknown(state: EndpointState | undefined, now: Time): WhyUnknown {
  if (state === undefined) return 'never'
  const { lastChecked, confirmedAt, reasons } = state
  const isRecent = lastChecked !== null && now < lastChecked + LIMITS.verdictLifetimeMs
  if (isRecent && reasons.some(({ code }) => code === 'network_unknown')) return 'elsewhere'
  return confirmedAt === null ? 'never' : 'expired'
}

/** Returns why the verdict on a host is unknown: what another probe may change comes first. */
export function whyHostUnknown(endpoints: readonly EndpointState[], now: Time): WhyUnknown {
  const found = endpoints.map((endpoint) => whyUnknown(endpoint, now))
  return (['expired', 'never'] as const).find((why) => found.includes(why)) ?? 'elsewhere'
}
