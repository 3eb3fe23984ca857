/** A block of addresses that no seller on the public internet answers from. */
export type SpecialBlock = { readonly cidr: string; readonly name: string }

/**
 * IPv4 blocks that are never dialled.
 *
 * Source: IANA IPv4 Special-Purpose Address Registry and IANA IPv4 Multicast Address Space, every entry, those
 * marked globally reachable too: they are relays and test services, and no place for a seller. The last ones are
 * metadata services of clouds, which answer on public-looking addresses or inside the blocks above.
 */
export const SPECIAL_IPV4: readonly SpecialBlock[] = [
  { cidr: '0.0.0.0/8', name: 'this network (RFC 791)' },
  { cidr: '10.0.0.0/8', name: 'private use (RFC 1918)' },
  { cidr: '100.64.0.0/10', name: 'shared address space (RFC 6598)' },
  { cidr: '127.0.0.0/8', name: 'loopback (RFC 1122)' },
  { cidr: '169.254.0.0/16', name: 'link local (RFC 3927)' },
  { cidr: '172.16.0.0/12', name: 'private use (RFC 1918)' },
  { cidr: '192.0.0.0/24', name: 'IETF protocol assignments (RFC 6890)' },
  { cidr: '192.0.2.0/24', name: 'documentation (RFC 5737)' },
  { cidr: '192.31.196.0/24', name: 'AS112 (RFC 7535)' },
  { cidr: '192.52.193.0/24', name: 'AMT relays (RFC 7450)' },
  { cidr: '192.88.99.0/24', name: '6to4 relay anycast (RFC 7526)' },
  { cidr: '192.168.0.0/16', name: 'private use (RFC 1918)' },
  { cidr: '192.175.48.0/24', name: 'AS112 (RFC 7534)' },
  { cidr: '198.18.0.0/15', name: 'benchmarking (RFC 2544)' },
  { cidr: '198.51.100.0/24', name: 'documentation (RFC 5737)' },
  { cidr: '203.0.113.0/24', name: 'documentation (RFC 5737)' },
  { cidr: '224.0.0.0/4', name: 'multicast (RFC 5771)' },
  { cidr: '240.0.0.0/4', name: 'reserved (RFC 1112)' },
  { cidr: '255.255.255.255/32', name: 'limited broadcast (RFC 8190)' },
  { cidr: '100.100.100.200/32', name: 'cloud metadata (Alibaba)' },
  { cidr: '168.63.129.16/32', name: 'cloud metadata (Azure)' },
  { cidr: '169.254.169.254/32', name: 'cloud metadata' },
  { cidr: '169.254.170.2/32', name: 'cloud metadata (AWS containers)' },
  { cidr: '192.0.0.192/32', name: 'cloud metadata (Oracle)' },
]

/** The only IPv6 space that holds public unicast. Source: IANA IPv6 Address Space registry. */
export const GLOBAL_UNICAST_IPV6 = '2000::/3'

/**
 * IPv6 blocks that are never dialled. Those outside 2000::/3 are refused anyway; they stand here so that a refusal
 * can say why.
 *
 * Source: IANA IPv6 Special-Purpose Address Registry and IANA IPv6 Address Space. Blocks that carry an IPv4 address
 * inside are refused whole, since the embedded address may be a private one.
 */
export const SPECIAL_IPV6: readonly SpecialBlock[] = [
  { cidr: '::1/128', name: 'loopback (RFC 4291)' },
  { cidr: '::/128', name: 'unspecified (RFC 4291)' },
  { cidr: '::/96', name: 'IPv4-compatible (RFC 4291)' },
  { cidr: '::ffff:0:0/96', name: 'IPv4-mapped (RFC 4291)' },
  { cidr: '::ffff:0:0:0/96', name: 'IPv4-translated (RFC 2765)' },
  { cidr: '64:ff9b::/96', name: 'NAT64 (RFC 6052)' },
  { cidr: '64:ff9b:1::/48', name: 'NAT64, local use (RFC 8215)' },
  { cidr: '100::/64', name: 'discard only (RFC 6666)' },
  { cidr: '100:0:0:1::/64', name: 'dummy prefix (RFC 9780)' },
  { cidr: '2001::/32', name: 'Teredo (RFC 4380)' },
  { cidr: '2001::/23', name: 'IETF protocol assignments (RFC 2928)' },
  { cidr: '2001:db8::/32', name: 'documentation (RFC 3849)' },
  { cidr: '2002::/16', name: '6to4 (RFC 3056)' },
  { cidr: '2620:4f:8000::/48', name: 'AS112 (RFC 7534)' },
  { cidr: '3fff::/20', name: 'documentation (RFC 9637)' },
  { cidr: '5f00::/16', name: 'segment routing (RFC 9602)' },
  { cidr: 'fc00::/7', name: 'unique local (RFC 4193)' },
  { cidr: 'fe80::/10', name: 'link local (RFC 4291)' },
  { cidr: 'fec0::/10', name: 'site local (RFC 3879)' },
  { cidr: 'ff00::/8', name: 'multicast (RFC 4291)' },
]
