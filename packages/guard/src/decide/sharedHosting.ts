import { isPublicSuffix } from '@touchstone402/shared'
import { misconfigured } from '../errors.ts'
import type { Policy } from './policyTypes.ts'

/**
 * Refuses an entry of `hosts` under which anybody can open a host, and so could take what its owner is trusted with. Apart
 * from the policy's other checks, since the Public Suffix List is larger than all else that a payment needs.
 * @throws ConfigurationError
 */
export function refuseSharedHosting({ hosts }: Policy): void {
  const shared = Object.keys(hosts).find((entry) => entry.startsWith('*.') && isPublicSuffix(entry.slice(2)))
  if (shared === undefined) return
  throw misconfigured(
    `policy.hosts: anybody can open a host below ${shared.slice(2)}; name the hosts one by one, such as "shop.${shared.slice(2)}"`,
  )
}
