import { getDomain, parse } from 'tldts'

/**
 * Whether two hosts have one registrable domain by the Public Suffix List, its private section included: two tenants of
 * a platform are not the same site. Addresses and names without a public suffix are only the same if they are equal.
 */
export function isSameSite(a: string, b: string): boolean {
  const [first, second] = [a, b].map(findDomain)
  return a === b || (first !== null && first === second)
}

/** Returns the registrable domain of a host name, or the name itself if it has none, such as an address. */
export const siteOf = (hostname: string): string => findDomain(hostname) ?? hostname

/** Returns the registrable domain of a host, which may have a port. */
export function siteOfHost(host: string): string {
  const url = `http://${host}`
  return siteOf(URL.canParse(url) ? new URL(url).hostname : host)
}

/**
 * Returns the registrable domain of a host by ICANN's section of the list, under which all tenants of a platform are one:
 * names that cost nothing count once.
 */
export function registeredDomainOf(host: string): string {
  const url = `http://${host}`
  const hostname = URL.canParse(url) ? new URL(url).hostname : host
  return getDomain(hostname) ?? hostname
}

/**
 * Returns the part of a host name below which anybody can register names, by the Public Suffix List: a registry such as
 * `co.uk`, or shared hosting such as `vercel.app`. Null for addresses and names that the list does not know.
 */
export function publicSuffixOf(hostname: string): string | null {
  const { publicSuffix, isIcann, isPrivate } = parse(hostname, { allowPrivateDomains: true })
  return isIcann === true || isPrivate === true ? publicSuffix : null
}

const findDomain = (host: string) => getDomain(host, { allowPrivateDomains: true })
