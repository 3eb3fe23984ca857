import { getDomain } from 'tldts'

/**
 * Whether two hosts have one registrable domain by the Public Suffix List, its private section included: two tenants of
 * a platform are not the same site. Addresses and names without a public suffix are only the same if they are equal.
 */
export function isSameSite(a: string, b: string): boolean {
  const [first, second] = [a, b].map((host) => getDomain(host, { allowPrivateDomains: true }))
  return a === b || (first !== null && first === second)
}
