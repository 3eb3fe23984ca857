import type { Time } from '../facts/facts.ts'
import type { EndpointRow, EndpointState } from '../facts/hostDocument.ts'
import { LIMITS } from '../judge/spec.ts'

/**
 * Why a verdict is unknown: the host declines probes, its documents were not read, no measurement yet, none recently, or
 * all offers are on networks, or in forms, that are not known, so that another probe changes nothing.
 */
export type WhyUnknown = 'declined' | 'unread' | 'never' | 'expired' | 'elsewhere'

/** Returns why the verdict on an endpoint is unknown. Other verdicts have no reason to be. */
export function whyUnknown(state: EndpointState | undefined, now: Time): WhyUnknown {
  if (state === undefined) return 'never'
  const networkUnknown = isNetworkUnknown(state)
  const optedOut = isOptedOut(state)
  return whyRowUnknown({ ...state, networkUnknown, optedOut, documentsUnread: isUnread(state) }, now)
}

/** Whether every offer of an endpoint is on a network, or in a form, that is not known. */
export function isNetworkUnknown({ reasons }: Pick<EndpointState, 'reasons'>): boolean {
  return reasons.some(({ code }) => code === 'network_unknown')
}

/** Whether the host of an endpoint declines probes. */
export function isOptedOut({ reasons }: Pick<EndpointState, 'reasons'>): boolean {
  return reasons.some(({ code }) => code === 'opted_out')
}

/** Whether the last probe of an endpoint returned terms, but the documents of its host could not be read. */
export function isUnread({ reasons }: Pick<EndpointState, 'reasons'>): boolean {
  return reasons.some(({ code }) => code === 'documents_unread')
}

/** Returns why the verdict on a host is unknown: what another probe of its listed endpoints may change comes first. */
export function whyHostUnknown(endpoints: readonly UnknownRow[], now: Time): WhyUnknown {
  const found = endpoints.map((endpoint) => whyRowUnknown(endpoint, now))
  if (found.every((why) => why === 'declined')) return 'declined'
  return (['unread', 'expired', 'never'] as const).find((why) => found.includes(why)) ?? 'elsewhere'
}

type UnknownRow = Pick<
  EndpointRow,
  'lastChecked' | 'confirmedAt' | 'networkUnknown' | 'optedOut' | 'documentsUnread'
>

function whyRowUnknown(row: UnknownRow, now: Time): WhyUnknown {
  const { lastChecked, confirmedAt, networkUnknown, optedOut } = row
  if (optedOut === true) return 'declined'
  if (row.documentsUnread === true) return 'unread'
  const isRecent = lastChecked !== null && now < lastChecked + LIMITS.verdictLifetimeMs
  if (isRecent && networkUnknown) return 'elsewhere'
  return confirmedAt === null ? 'never' : 'expired'
}
