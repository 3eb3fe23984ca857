/** An IP address as a number. */
export type IpAddress = { readonly family: 4 | 6; readonly value: bigint }

/**
 * Ranges that no public service answers from: CIDR, name, source.
 *
 * Every entry of the IANA IPv4 and IPv6 Special-Purpose Address Registries lies in one of these, including the globally
 * reachable ones (relays and test services), as do multicast, reserved space and cloud metadata services.
 * IPv6 ranges that embed an IPv4 address are refused whole, because the embedded address may be private.
 */
export const SPECIAL_RANGES: readonly (readonly [cidr: string, name: string, source: string])[] = [
  ['0.0.0.0/8', 'this network', 'RFC 791'],
  ['10.0.0.0/8', 'private use', 'RFC 1918'],
  ['100.64.0.0/10', 'shared address space, Alibaba Cloud metadata', 'RFC 6598'],
  ['127.0.0.0/8', 'loopback', 'RFC 1122'],
  ['168.63.129.16/32', 'Azure metadata', 'Azure documentation'],
  ['169.254.0.0/16', 'link-local, cloud metadata', 'RFC 3927'],
  ['172.16.0.0/12', 'private use', 'RFC 1918'],
  ['192.0.0.0/24', 'IETF protocol assignments, Oracle Cloud metadata', 'RFC 6890'],
  ['192.0.2.0/24', 'documentation', 'RFC 5737'],
  ['192.31.196.0/24', 'AS112', 'RFC 7535'],
  ['192.52.193.0/24', 'AMT relays', 'RFC 7450'],
  ['192.88.99.0/24', '6to4 relay anycast', 'RFC 7526'],
  ['192.168.0.0/16', 'private use', 'RFC 1918'],
  ['192.175.48.0/24', 'AS112', 'RFC 7534'],
  ['198.18.0.0/15', 'benchmarking', 'RFC 2544'],
  ['198.51.100.0/24', 'documentation', 'RFC 5737'],
  ['203.0.113.0/24', 'documentation', 'RFC 5737'],
  ['224.0.0.0/4', 'multicast', 'RFC 5771'],
  ['240.0.0.0/4', 'reserved, limited broadcast', 'RFC 1112'],
  ['2001::/23', 'IETF protocol assignments, Teredo', 'RFC 2928'],
  ['2001:db8::/32', 'documentation', 'RFC 3849'],
  ['2002::/16', '6to4', 'RFC 3056'],
  ['2620:4f:8000::/48', 'AS112', 'RFC 7534'],
  ['3fff::/20', 'documentation', 'RFC 9637'],
  // Everything outside 2000::/3, the only global unicast space.
  ['::/3', 'loopback, IPv4-mapped and -compatible, NAT64, discard-only', 'RFC 4291'],
  ['4000::/2', 'unassigned, segment routing', 'RFC 4291, RFC 9602'],
  ['8000::/1', 'unassigned, unique local, link-local, multicast', 'RFC 4291, RFC 4193'],
]

const RANGES = SPECIAL_RANGES.map(([cidr]) => {
  const [network = '', length] = cidr.split('/')
  const address = parseIpAddress(network)
  if (address === undefined) throw new Error(`invalid CIDR range: ${cidr}`)
  const hostBits = BigInt((address.family === 4 ? 32 : 128) - Number(length))
  return { family: address.family, hostBits, network: address.value >> hostBits }
})

/**
 * Returns whether an IP address is public unicast.
 * @param address as a resolver writes it; anything else, zone ids included, is not public
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parseIpAddress(address)
  return (
    parsed !== undefined &&
    !RANGES.some(
      ({ family, hostBits, network }) => family === parsed.family && parsed.value >> hostBits === network,
    )
  )
}

/** Parses four decimal octets or IPv6 text. Returns undefined for anything else, zone ids (`fe80::1%eth0`) included. */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (!/^[0-9a-f:.]+$/i.test(text)) return undefined
  const isIpv6 = text.includes(':')
  const url = isIpv6 ? `http://[${text}]` : `http://${text}`
  if (!URL.canParse(url)) return undefined
  const { hostname } = new URL(url)
  if (isIpv6) return { family: 6, value: joinParts(expandGroups(hostname.slice(1, -1)), 16, 4) }
  // URLs accept other spellings of IPv4 addresses (`0x7f.1`), which resolvers never return.
  if (hostname !== text || !/^\d+\.\d+\.\d+\.\d+$/.test(text)) return undefined
  return { family: 4, value: joinParts(text.split('.'), 10, 2) }
}

function expandGroups(compressed: string): string[] {
  const [before = [], after = []] = compressed.split('::').map((half) => half.split(':').filter(Boolean))
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
}

function joinParts(parts: readonly string[], radix: number, digits: number): bigint {
  return BigInt(
    `0x${parts.map((part) => Number.parseInt(part, radix).toString(16).padStart(digits, '0')).join('')}`,
  )
}
