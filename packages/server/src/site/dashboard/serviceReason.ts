import type { Profile } from '@touchstone402/shared'
import type { Time } from '../../domain/facts/facts.ts'
import type { EndpointRow, HostSummary } from '../../domain/facts/hostDocument.ts'
import { FLAG_SPECS } from '../../domain/judge/spec.ts'
import { type WhyHostUnknown, whyHostUnknown } from '../../domain/publish/whyUnknown.ts'
import { FLAG_NAMES } from '../components/flagNames.ts'
import { formatDate } from '../format.ts'

const UNKNOWN_REASONS: Readonly<Record<WhyHostUnknown, string>> = {
  declined: 'Declines probes',
  never: 'Not looked at yet',
  expired: 'No recent measurement',
  elsewhere: 'Unknown network or form of payment',
  unlisted: 'Named by visitors alone',
}
const RISKS = ['high', 'medium', 'low']
const SHOWN_FLAGS = 2

/** Returns the main reason for the verdict on a host, in a few words. */
export function explainRow(profile: Profile, { endpoints }: HostSummary, now: Time): string {
  const { verdict, flags, darkSince, receiverStability } = profile
  if (verdict === 'unknown') return UNKNOWN_REASONS[whyHostUnknown(endpoints, now)]
  if (darkSince !== null) {
    const outage = describeOutage(darkSince, endpoints)
    return outage.charAt(0).toUpperCase() + outage.slice(1)
  }
  const worst = flags
    .toSorted((a, b) => RISKS.indexOf(FLAG_SPECS[a].risk) - RISKS.indexOf(FLAG_SPECS[b].risk))
    .slice(0, SHOWN_FLAGS)
    .map((flag) => FLAG_NAMES[flag])
  if (worst.length > 0) return worst.join(', ')
  if (verdict === 'safe') return receiverStability === 'stable' ? 'Receiver stable' : 'Receiver new'
  return endpoints.some(({ doubtful }) => doubtful)
    ? 'Recent probes failed or were refused'
    : 'Little evidence'
}

/** Says since when a host is out: `dark since 18 Nov 2026`; `invalid` if it answers without a valid challenge. */
export function describeOutage(darkSince: string, endpoints: readonly Pick<EndpointRow, 'status'>[]): string {
  const status = endpoints.some((endpoint) => endpoint.status === 'dark') ? 'dark' : 'invalid'
  return `${status} since ${formatDate(Date.parse(darkSince))}`
}
