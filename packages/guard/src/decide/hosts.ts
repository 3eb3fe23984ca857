import type { CanonicalUrl } from '@touchstone402/shared'
import type { Policy } from './policySchema.ts'

type HostParts = Pick<CanonicalUrl, 'scheme' | 'host' | 'hostname'>

/** Whether an entry of a policy, such as `api.example.com`, `localhost:8080` or `*.example.com`, covers a host. */
export function coversHost(entry: string, { scheme, host, hostname }: HostParts): boolean {
  if (entry.startsWith('*.')) return hostname.endsWith(entry.slice(1))
  // A URL does not show the default port of its scheme.
  return entry === host || entry === hostname || (scheme === 'http' && entry === `${host}:80`)
}

/** Whether a policy names hosts by a wildcard, which must be checked by `refuseSharedHosting` before it is used. */
export const hasWildcards = ({ hosts }: Policy): boolean =>
  Object.keys(hosts).some((entry) => entry.startsWith('*.'))

/** Hosts that share one daily sum: those that an entry covers, without those of narrower entries. */
export type HostGroup = { entry: string; except: readonly string[] }

/** Returns the parts of a host of a ledger, which does not record the scheme, or of an entry. */
export const partsOf = (host: string): HostParts => ({
  scheme: 'https',
  host,
  hostname: host.replace(/:\d+$/, ''),
})

/**
 * Whether a host of a ledger counts in the sum of a group. A host that has different entries by http and by https counts in
 * both sums, which is the stricter way.
 */
export function isInGroup({ entry, except }: HostGroup, host: string): boolean {
  const parts = partsOf(host)
  const isCovered = coversHost(entry, { ...parts, scheme: 'http' })
  return isCovered && !except.some((one) => coversHost(one, parts))
}

/** Limits of one host: those of its entry in `hosts`, otherwise those of all hosts. */
export type HostTerms = {
  /** The hosts of its entry; null without one. A host with an entry is no new seller. */
  group: HostGroup | null
  maxPerPaymentUsd: string
  maxPerDayUsd: string
  askAboveUsd: string | null
  priceFactor: number
  /** Maximum price of the first call to a further endpoint, however cheap the others are. */
  furtherCallUsd: string
}

/** Returns what a policy allows a host. The narrowest entry holds. */
export function hostTerms(policy: Policy, parts: HostParts): HostTerms {
  const { hosts, newSeller } = policy
  const entry = findEntry(hosts, parts)
  const own = (entry !== undefined && hosts[entry]) || {}
  return {
    group: entry === undefined ? null : { entry, except: narrowerThan(entry, hosts) },
    maxPerPaymentUsd: own.maxPerPaymentUsd ?? policy.maxPerPaymentUsd,
    maxPerDayUsd: own.maxPerDayUsd ?? policy.maxPerHostPerDayUsd,
    askAboveUsd: own.askAboveUsd ?? policy.askAboveUsd,
    priceFactor: own.priceFactor ?? newSeller.priceFactor,
    furtherCallUsd: own.maxPerPaymentUsd ?? newSeller.perCallUsd,
  }
}

/** Returns the entry of a host: with its port, without it, or the longest wildcard. */
function findEntry(hosts: Policy['hosts'], parts: HostParts): string | undefined {
  const covering = Object.keys(hosts).filter((entry) => coversHost(entry, parts))
  const exact = covering.filter((entry) => !entry.startsWith('*'))
  return (exact.length > 0 ? exact : covering).toSorted((a, b) => b.length - a.length)[0]
}

/** Returns the other entries that cover hosts of an entry. */
const narrowerThan = (entry: string, hosts: Policy['hosts']): string[] =>
  Object.keys(hosts).filter((one) => one !== entry && coversHost(entry, partsOf(one.replace('*', 'any'))))
