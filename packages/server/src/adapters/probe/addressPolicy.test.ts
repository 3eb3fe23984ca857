import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAddressPolicy, findSpecialUse, isPublicAddress } from './addressPolicy.ts'
import { parseIp } from './ipAddress.ts'
import { SPECIAL_IPV4, SPECIAL_IPV6 } from './specialAddresses.ts'

const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
const ipv4 = octets.map((parts) => parts.join('.'))
const groups = fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 })
const ipv6 = groups.map((parts) => parts.map((part) => part.toString(16)).join(':'))

// Node's own list is the second opinion. It matches IPv4 rules against mapped addresses, which is left out here.
const list = new BlockList()
for (const { cidr } of SPECIAL_IPV4) {
  const [network = '', length] = cidr.split('/')
  list.addSubnet(network, Number(length), 'ipv4')
}
const list6 = new BlockList()
for (const { cidr } of SPECIAL_IPV6) {
  const [network = '', length] = cidr.split('/')
  list6.addSubnet(network, Number(length), 'ipv6')
}
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')

describe('isPublicAddress', () => {
  test('default', () => {
    for (const address of [
      '1.1.1.1',
      '8.8.8.8',
      '93.184.215.14',
      '2606:4700:4700::1111',
      '2a00:1450:4001::1',
    ]) {
      expect([address, isPublicAddress(address)]).toEqual([address, true])
    }
  })

  test('behavior: refuses loopback, private, link-local, embedded and metadata addresses', () => {
    const refused = [
      ...[
        '127.0.0.1',
        '0.0.0.0',
        '10.1.2.3',
        '100.64.0.1',
        '169.254.169.254',
        '172.31.255.255',
        '192.168.0.1',
      ],
      ...['168.63.129.16', '192.0.0.192', '100.100.100.200', '192.88.99.1', '192.52.193.1', '198.19.0.1'],
      ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
      ...['::', '::1', '::7f00:1', '::a9fe:a9fe', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:0:127.0.0.1'],
      ...['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::a9fe:a9fe', '2002:a9fe:a9fe::', '2001:0:1::1'],
      ...['fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd00:ec2::254', 'fec0::1', 'ff02::1', '100::1', '3fff::1'],
      ...['4000::1', '5f00::1', '8000::1', '2001:db8::1', '2620:4f:8000::1'],
    ]
    expect(refused.filter(isPublicAddress)).toEqual([])
  })

  test("behavior: refuses what is no address in a resolver's notation", () => {
    const refused = [
      '',
      'localhost',
      '2130706433',
      '0x7f.1',
      '127.1',
      '0177.0.0.1',
      '1.2.3',
      '[::1]',
      '1.1.1.1 ',
    ]
    expect(refused.filter(isPublicAddress)).toEqual([])
    expect(findSpecialUse('0x7f.1')).toBe('not an IP address')
  })

  test('behavior: agrees with the block list of node on any address', () => {
    fc.assert(fc.property(ipv4, (ip) => isPublicAddress(ip) === !list.check(ip, 'ipv4')))
    fc.assert(
      fc.property(
        ipv6,
        (ip) => isPublicAddress(ip) === (global6.check(ip, 'ipv6') && !list6.check(ip, 'ipv6')),
      ),
    )
  })

  test('behavior: agrees with it on the edges of every block', () => {
    const edges = [...SPECIAL_IPV4, ...SPECIAL_IPV6].flatMap(({ cidr }) => {
      const [network = '', length] = cidr.split('/')
      const address = parseIp(network)
      if (address === undefined) throw new Error(cidr)
      const size = 1n << BigInt((address.family === 4 ? 32 : 128) - Number(length))
      return [address.value - 1n, address.value, address.value + size - 1n, address.value + size]
        .filter((value) => value >= 0n && value < 1n << (address.family === 4 ? 32n : 128n))
        .map((value) => write(value, address.family))
    })
    for (const ip of edges) {
      const expected =
        isIP(ip) === 4 ? !list.check(ip, 'ipv4') : global6.check(ip, 'ipv6') && !list6.check(ip, 'ipv6')
      expect([ip, isPublicAddress(ip)]).toEqual([ip, expected])
    }
  })

  test('behavior: every IPv4 address inside an IPv6 one is refused', () => {
    fc.assert(
      fc.property(ipv4, fc.constantFrom('::', '::ffff:', '::ffff:0:', '64:ff9b::'), (ip, prefix) => {
        return !isPublicAddress(prefix + ip)
      }),
    )
  })
})

describe('createAddressPolicy', () => {
  test('default', () => {
    const policy = createAddressPolicy()
    expect([80, 443, 22, 25, 8080].map((port) => policy.isPortAllowed(port))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
    expect(policy.isAddressAllowed('example.com', '1.1.1.1', 443)).toBe(true)
    expect(policy.isAddressAllowed('example.com', '1.1.1.1', 8080)).toBe(false)
    expect(policy.isAddressAllowed('example.com', '10.0.0.1', 443)).toBe(false)
  })

  test('behavior: an extra port opens to public addresses only', () => {
    const policy = createAddressPolicy({ extraPorts: [8443] })
    expect(policy.isAddressAllowed('example.com', '1.1.1.1', 8443)).toBe(true)
    expect(policy.isAddressAllowed('example.com', '127.0.0.1', 8443)).toBe(false)
  })

  test('behavior: a private place is allowed with exactly its port', () => {
    const policy = createAddressPolicy({
      allowPrivate: ['127.0.0.1:4021', '[::1]:4022', 'Shop.localhost:4023'],
    })
    expect(policy.isPortAllowed(4021)).toBe(true)
    expect(policy.isAddressAllowed('any.localhost', '127.0.0.1', 4021)).toBe(true)
    expect(policy.isAddressAllowed('any.localhost', '127.0.0.1', 4022)).toBe(false)
    expect(policy.isAddressAllowed('any.localhost', '127.0.0.2', 4021)).toBe(false)
    expect(policy.isAddressAllowed('::1', '0:0:0:0:0:0:0:1', 4022)).toBe(true)
    expect(policy.isAddressAllowed('shop.localhost', '127.0.0.1', 4023)).toBe(true)
    expect(policy.isAddressAllowed('other.localhost', '127.0.0.1', 4023)).toBe(false)
    // The port of an allowance opens nothing on public addresses.
    expect(policy.isAddressAllowed('example.com', '1.1.1.1', 4021)).toBe(false)
  })

  test('behavior: a private place without a port is allowed with all of its ports', () => {
    const policy = createAddressPolicy({ allowPrivate: ['127.0.0.1', '::1', '[fd00::1]', 'shop.internal'] })
    const allowed = [
      ['any.localhost', '127.0.0.1'],
      ['::1', '::1'],
      ['a', 'fd00::1'],
      ['shop.internal', '10.0.0.1'],
    ] as const
    for (const [host, address] of allowed) expect(policy.isAddressAllowed(host, address, 4021)).toBe(true)
    expect(policy.isPortAllowed(4021)).toBe(true)
    expect(policy.isAddressAllowed('any.localhost', '127.0.0.2', 4021)).toBe(false)
    expect(policy.isAddressAllowed('example.com', '1.1.1.1', 4021)).toBe(false)
  })

  test.each(['', '127.0.0.1:99999', 'a:0', '[nonsense]:1', 'http://a', 'a:b:1'])(
    'error: the entry "%s"',
    (entry) => {
      expect(() => createAddressPolicy({ allowPrivate: [entry] })).toThrow('expected a host, or host:port')
    },
  )
})

function write(value: bigint, family: 4 | 6): string {
  const [parts, bits] = family === 4 ? [4, 8n] : [8, 16n]
  const mask = (1n << bits) - 1n
  return Array.from({ length: parts }, (_, index) => (value >> (bits * BigInt(parts - 1 - index))) & mask)
    .map((part) => part.toString(family === 4 ? 10 : 16))
    .join(family === 4 ? '.' : ':')
}
