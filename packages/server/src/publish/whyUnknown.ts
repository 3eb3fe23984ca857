import type { Time } from '../facts/facts.ts'
import type { EndpointRow, EndpointState } from '../facts/hostDocument.ts'
import { LIMITS } from '../judge/spec.ts'

/**
 * Why a verdict is unknown: the host declines probes, no measurement yet, none recently, or all offers are on networks, or
 * in forms, that are not known, so that another probe changes nothing.
 */
export type WhyUnknown = 'declined' | 'never' | 'expired' | 'elsewhere'

/** Returns why the verdict on an endpoint is unknown. Other verdicts have no reason to be. */
export function whyUnknown(state: EndpointState | undefined, now: Time): WhyUnknown {
  return state === undefined
    ? 'never'
    : whyRowUnknown({ ...state, networkUnknown: isNetworkUnknown(state), optedOut: isOptedOut(state) }, now)
}

/** Whether every offer of an endpoint is on a network, or in a form, that is not known. */
export function isNetworkUnknown({ reasons }: Pick<EndpointState, 'reasons'>): boolean {
  return reasons.some(({ code }) => code === 'network_unknown')
}

/** Whether the host of an endpoint declines probes. */
export function isOptedOut({ reasons }: Pick<EndpointState, 'reasons'>): boolean {
  return reasons.some(({ code }) => code === 'opted_out')
}

/** Returns why the verdict on a host is unknown: what another probe of its listed endpoints may change comes first. */
export function whyHostUnknown(endpoints: readonly UnknownRow[], now: Time): WhyUnknown {
  const found = endpoints.map((endpoint) => whyRowUnknown(endpoint, now))
  if (found.every((why) => why === 'declined')) return 'declined'
  return (['expired', 'never'] as const).find((why) => found.includes(why)) ?? 'elsewhere'
}

type UnknownRow = Pick<EndpointRow, 'lastChecked' | 'confirmedAt' | 'networkUnknown' | 'optedOut'>

function whyRowUnknown(row: UnknownRow, now: Time): WhyUnknown {
  const { lastChecked, confirmedAt, networkUnknown, optedOut } = row
  if (optedOut === true) return 'declined'
  const isRecent = lastChecked !== null && now < lastChecked + LIMITS.verdictLifetimeMs
  if (isRecent && networkUnknown) return 'elsewhere'
  return confirmedAt === null ? 'never' : 'expired'
}
