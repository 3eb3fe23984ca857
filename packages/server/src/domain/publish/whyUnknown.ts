import type { Time } from '../facts/facts.ts'
import type { EndpointRow, EndpointState } from '../facts/hostDocument.ts'
import { LIMITS } from '../judge/spec.ts'

/**
 * Why a verdict is unknown: no measurement yet, none recently, or all offers are on networks, or in forms, that are not
 * known, so that another probe changes nothing.
 */
export type WhyUnknown = 'never' | 'expired' | 'elsewhere'

/** Returns why the verdict on an endpoint is unknown. Other verdicts have no reason to be. */
export function whyUnknown(state: EndpointState | undefined, now: Time): WhyUnknown {
  return state === undefined
    ? 'never'
    : whyRowUnknown({ ...state, networkUnknown: isNetworkUnknown(state) }, now)
}

/** Whether every offer of an endpoint is on a network, or in a form, that is not known. */
export function isNetworkUnknown({ reasons }: Pick<EndpointState, 'reasons'>): boolean {
  return reasons.some(({ code }) => code === 'network_unknown')
}

/** Returns why the verdict on a host is unknown: what another probe may change comes first. */
export function whyHostUnknown(endpoints: readonly UnknownRow[], now: Time): WhyUnknown {
  const found = endpoints.map((endpoint) => whyRowUnknown(endpoint, now))
  return (['expired', 'never'] as const).find((why) => found.includes(why)) ?? 'elsewhere'
}

type UnknownRow = Pick<EndpointRow, 'lastChecked' | 'confirmedAt' | 'networkUnknown'>

function whyRowUnknown({ lastChecked, confirmedAt, networkUnknown }: UnknownRow, now: Time): WhyUnknown {
  const isRecent = lastChecked !== null && now < lastChecked + LIMITS.verdictLifetimeMs
  if (isRecent && networkUnknown) return 'elsewhere'
  return confirmedAt === null ? 'never' : 'expired'
}
