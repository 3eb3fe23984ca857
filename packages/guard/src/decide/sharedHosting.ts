import { type CanonicalUrl, publicSuffixOf } from '@touchstone402/shared'
import { misconfigured } from '../errors.ts'
import { hostTerms } from './hosts.ts'
import type { Policy } from './policySchema.ts'

/**
 * Refuses an entry of `hosts` under which anybody can open a host, and so could take what its owner is trusted with. Apart
 * from the policy's other checks, since the Public Suffix List is larger than all else that a payment needs.
 * @param url of a payment, whose host may be of shared hosting below its entry: `*.amazonaws.com` covers `s3.amazonaws.com`
 * @throws ConfigurationError
 */
export function refuseSharedHosting(policy: Policy, url?: CanonicalUrl): void {
  const wildcards = Object.keys(policy.hosts).filter((entry) => entry.startsWith('*.'))
  const listed = wildcards.find((entry) => publicSuffixOf(entry.slice(2)) === entry.slice(2))
  if (listed !== undefined) throw refuseSuffix(listed.slice(2))
  if (url === undefined) return
  const entry = hostTerms(policy, url).group?.entry
  const suffix = publicSuffixOf(url.hostname)
  if (entry?.startsWith('*.') && suffix?.endsWith(entry.slice(1))) throw refuseSuffix(suffix)
}

const refuseSuffix = (suffix: string) =>
  misconfigured(
    `policy.hosts: anybody can open a host below ${suffix}; name the hosts one by one, such as "shop.${suffix}"`,
  )
