import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPublicAddress, parseIpAddress, SPECIAL_RANGES } from './specialAddresses.ts'

// Every row of the IANA IPv4 Special-Purpose Address Registry, with the last address of its range.
const IANA_IPV4 = [
  ['0.0.0.0', '0.255.255.255'],
  ['0.0.0.0', '0.0.0.0'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.0.0', '192.0.0.7'],
  ['192.0.0.8', '192.0.0.8'],
  ['192.0.0.9', '192.0.0.9'],
  ['192.0.0.10', '192.0.0.10'],
  ['192.0.0.170', '192.0.0.171'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.31.196.0', '192.31.196.255'],
  ['192.52.193.0', '192.52.193.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.88.99.2', '192.88.99.2'],
  ['192.168.0.0', '192.168.255.255'],
  ['192.175.48.0', '192.175.48.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['240.0.0.0', '255.255.255.255'],
  ['255.255.255.255', '255.255.255.255'],
]

// Every row of the IANA IPv6 Special-Purpose Address Registry, with the last address of its range.
const IANA_IPV6 = [
  ['::1', '::1'],
  ['::', '::'],
  ['::ffff:0:0', '::ffff:ffff:ffff'],
  ['64:ff9b::', '64:ff9b::ffff:ffff'],
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::', '100::ffff:ffff:ffff:ffff'],
  ['100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:1::1', '2001:1::1'],
  ['2001:1::2', '2001:1::2'],
  ['2001:1::3', '2001:1::3'],
  ['2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  ['2001:3::', '2001:3:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:4:112::', '2001:4:112:ffff:ffff:ffff:ffff:ffff'],
  ['2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:30::', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
]

const MULTICAST = [
  ['224.0.0.0', '239.255.255.255'],
  ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
]

const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
const ipv4 = octets.map((parts) => parts.join('.'))
const groups = fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 })
const ipv6 = groups.map((parts) => parts.map((part) => part.toString(16)).join(':'))

// The registries in Node's BlockList are the oracle. IPv4 rules apply to mapped addresses, so each family has its own.
const oracles = { 4: new BlockList(), 6: new BlockList() }
const unassigned = [
  ['::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['168.63.129.16', '168.63.129.16'],
]
for (const [first = '', last = ''] of [...IANA_IPV4, ...IANA_IPV6, ...MULTICAST, ...unassigned]) {
  const family = isIP(first) === 6 ? 6 : 4
  oracles[family].addRange(first, last, `ipv${family}`)
}
const isPublicByOracle = (ip: string) =>
  isIP(ip) === 4 ? !oracles[4].check(ip, 'ipv4') : !oracles[6].check(ip, 'ipv6')

describe('isPublicAddress', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.215.14',
    '172.32.0.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001::1',
  ])('default: %s is public', (address) => expect(isPublicAddress(address)).toBe(true))

  test.each([...IANA_IPV4, ...IANA_IPV6, ...MULTICAST])(
    'behavior: refuses the special-purpose range %s to %s',
    (first = '', last = '') => {
      expect([isPublicAddress(first), isPublicAddress(last)]).toEqual([false, false])
    },
  )

  test('behavior: refuses cloud metadata services', () => {
    const metadata = ['169.254.169.254', '169.254.170.2', '168.63.129.16', '192.0.0.192', '100.100.100.200']
    expect([...metadata, 'fd00:ec2::254', 'fd20:ce::254'].filter(isPublicAddress)).toEqual([])
  })

  test('behavior: judges a NAT64 address by the IPv4 address inside', () => {
    const written = ['64:ff9b::8.8.8.8', '64:ff9b::808:808', '64:ff9b:0:0:0:0:1.1.1.1']
    expect(written.filter(isPublicAddress)).toEqual(written)
    const inner = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '0.0.0.0', '224.0.0.1']
    expect(inner.filter((ip) => isPublicAddress(`64:ff9b::${ip}`))).toEqual([])
    fc.assert(fc.property(ipv4, (ip) => isPublicAddress(`64:ff9b::${ip}`) === isPublicAddress(ip)))
    // Other bits set: not the well-known prefix.
    expect(['64:ff9b::1:8.8.8.8', '64:ff9b:2::8.8.8.8', '64:ff9a::8.8.8.8'].filter(isPublicAddress)).toEqual(
      [],
    )
  })

  test('behavior: refuses every other IPv6 address that embeds an IPv4 address', () => {
    const prefixes = fc.constantFrom('::', '::ffff:', '::ffff:0:', '64:ff9b:1::', '2001::', '2002::')
    fc.assert(fc.property(ipv4, prefixes, (ip, prefix) => !isPublicAddress(prefix + ip)))
    fc.assert(
      fc.property(groups, ([a = 0, b = 0]) => !isPublicAddress(`2002:${a.toString(16)}:${b.toString(16)}::`)),
    )
  })

  test('behavior: refuses deprecated and unassigned IPv6 space', () => {
    expect(['fec0::1', '4000::1', '8000::1', 'fe80::1%eth0'].filter(isPublicAddress)).toEqual([])
  })

  test('error: refuses text that is not an address as resolvers write it', () => {
    const refused = [
      '',
      'localhost',
      'example.com',
      '2130706433',
      '0x7f.1',
      '127.1',
      '0177.0.0.1',
      '1.2.3',
      '8.8.8.08',
    ]
    const others = [
      '[::1]',
      '1.1.1.1 ',
      '1.1.1.1.',
      '1.1.1.1:80',
      '1.1.1.256',
      '2606:4700::1/64',
      '2606::1::1',
      'dead',
    ]
    expect([...refused, ...others].filter(isPublicAddress)).toEqual([])
  })

  test("behavior: agrees with the registries in Node's BlockList on random addresses", () => {
    fc.assert(fc.property(ipv4, (ip) => isPublicAddress(ip) === isPublicByOracle(ip)))
    fc.assert(fc.property(ipv6, (ip) => isPublicAddress(ip) === isPublicByOracle(ip)))
  })

  test("behavior: agrees with the registries in Node's BlockList at the edges of every range", () => {
    for (const { range: cidr } of SPECIAL_RANGES) {
      for (const ip of edgesOf(cidr)) expect([ip, isPublicAddress(ip)]).toEqual([ip, isPublicByOracle(ip)])
    }
  })
})

describe('parseIpAddress', () => {
  test('default', () => {
    expect(parseIpAddress('1.2.3.4')).toEqual({ family: 4, value: 0x01020304n })
    expect(parseIpAddress('1:2:3:4:5:6:7:8')).toEqual({
      family: 6,
      value: 0x00010002000300040005000600070008n,
    })
    expect(parseIpAddress('::FFFF:1.2.3.4')).toEqual({ family: 6, value: 0xffff01020304n })
  })

  test('behavior: accepts exactly the text that Node accepts as an address', () => {
    const text = fc.string({ unit: fc.constantFrom(...'0127fF:.%x'), maxLength: 12 })
    const mixed = fc.oneof(
      text,
      ipv4,
      ipv6,
      fc.tuple(text, ipv4).map(([head, tail]) => head + tail),
    )
    fc.assert(
      fc.property(mixed, (ip) => (parseIpAddress(ip)?.family ?? 0) === (ip.includes('%') ? 0 : isIP(ip))),
    )
  })

  test('behavior: all spellings of an address have one value', () => {
    const compressed = (ip: string) => new URL(`http://[${ip}]`).hostname.slice(1, -1)
    fc.assert(
      fc.property(ipv6, (ip) => {
        expect(parseIpAddress(compressed(ip))).toEqual(parseIpAddress(ip.toUpperCase()))
      }),
    )
  })
})

/** Returns the first and last address of a range and their outer neighbours. */
function edgesOf(cidr: string): string[] {
  const [network = '', length] = cidr.split('/')
  const address = parseIpAddress(network)
  if (address === undefined) throw new Error(cidr)
  const { family, value } = address
  const width = family === 4 ? 32 : 128
  const size = 1n << BigInt(width - Number(length))
  return [value - 1n, value, value + size - 1n, value + size]
    .filter((edge) => edge >= 0n && edge < 1n << BigInt(width))
    .map((edge) => write(edge, family))
}

function write(value: bigint, family: 4 | 6): string {
  const [parts, bits] = family === 4 ? [4, 8n] : [8, 16n]
  const mask = (1n << bits) - 1n
  return Array.from({ length: parts }, (_, index) => (value >> (bits * BigInt(parts - 1 - index))) & mask)
    .map((part) => part.toString(family === 4 ? 10 : 16))
    .join(family === 4 ? '.' : ':')
}
