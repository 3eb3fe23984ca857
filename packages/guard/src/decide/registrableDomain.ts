// Second-level labels under which country registries sell names, such as `co.uk` and `com.au`. A short list: the owner
// of such a label where it is no suffix could use each subdomain as a separate domain.
const SECOND_LEVEL = /^(ac|co|com|edu|gov|ne|net|or|org)$/

/**
 * Returns the part of a hostname that its owner registered, in which subdomains are free: the last two labels, or three
 * below a suffix such as `co.uk`. Addresses and single labels are returned whole.
 *
 * A rule instead of the Public Suffix List, which alone would exceed the size of the guard. Where the two differ, tenants
 * of one platform (`a.vercel.app`) or registry share a domain, and thus a budget: the safe direction.
 */
export function registrableDomain(hostname: string): string {
  const labels = hostname.split('.')
  const [top = '', second = ''] = labels.toReversed()
  if (hostname.startsWith('[') || /^\d+$/.test(top)) return hostname
  return labels.slice(top.length === 2 && SECOND_LEVEL.test(second) ? -3 : -2).join('.')
}
