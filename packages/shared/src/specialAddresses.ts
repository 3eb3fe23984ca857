import specialRanges from './tables/specialRanges.json' with { type: 'json' }

/** An IP address as a number. */
export type IpAddress = { readonly family: 4 | 6; readonly value: bigint }

/**
 * Ranges that no public service answers from, in CIDR notation.
 *
 * Every entry of the IANA IPv4 and IPv6 Special-Purpose Address Registries lies in one of these, including the globally
 * reachable ones (relays and test services), as do multicast, reserved space and cloud metadata services.
 * The last three are everything outside 2000::/3, the only global unicast space.
 * IPv6 ranges that embed an IPv4 address are refused whole, because the embedded address may be private; a NAT64
 * address of the well-known prefix is judged by the address inside.
 */
export const SPECIAL_RANGES = specialRanges

const RANGES = SPECIAL_RANGES.map(({ range }) => {
  const [network = '', length] = range.split('/')
  const address = parseIpAddress(network)
  if (address === undefined) throw new Error(`invalid CIDR range: ${range}`)
  const hostBits = BigInt((address.family === 4 ? 32 : 128) - Number(length))
  return { family: address.family, hostBits, network: address.value >> hostBits }
})

/** Bits above the IPv4 address in 64:ff9b::/96, the well-known prefix of NAT64. Source: RFC 6052, section 2.1. */
const NAT64 = 0x0064ff9bn << 64n

/**
 * Returns whether an IP address is public unicast, or leads to one over NAT64.
 * @param address as a resolver writes it; anything else, zone ids included, is not public
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parseIpAddress(address)
  return parsed !== undefined && !isSpecial(readNat64(parsed))
}

function isSpecial({ family, value }: IpAddress): boolean {
  return RANGES.some((range) => range.family === family && value >> range.hostBits === range.network)
}

/** Returns the IPv4 address inside a NAT64 address; any other address as it is. */
function readNat64(address: IpAddress): IpAddress {
  const isNat64 = address.family === 6 && address.value >> 32n === NAT64
  return isNat64 ? { family: 4, value: address.value & 0xffff_ffffn } : address
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
