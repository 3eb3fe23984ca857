import { createPublicFetch } from '@touchstone402/guard/mcp'
import { isPublicAddress, SPECIAL_RANGES } from '@touchstone402/shared/addresses'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import ssrfUrls from '../../../../e2e/fixtures/ssrf-urls.json' with { type: 'json' }
import { createAddressPolicy } from './addressPolicy.ts'

describe('createAddressPolicy', () => {
  test('default', () => {
    const policy = createAddressPolicy({ allowPrivate: [] })
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
    expect(policy.isAddressAllowed('example.com', '127.0.0.1', 443)).toBe(false)
  })

  test('behavior: a NAT64 address is judged by the IPv4 address inside, as a resolver with DNS64 gives it', () => {
    const isAllowed = (address: string, allowPrivate: readonly string[] = []) =>
      createAddressPolicy({ allowPrivate }).isAddressAllowed('shop.example', address, 443)
    expect([isAllowed('64:ff9b::808:808'), isAllowed('64:ff9b::8.8.8.8')]).toEqual([true, true])
    const inner = ['127.0.0.1', '10.0.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0']
    expect(inner.filter((address) => isAllowed(`64:ff9b::${address}`))).toEqual([])
    // The embedding of a local prefix is known only to the network that has it.
    expect(isAllowed('64:ff9b:1::8.8.8.8')).toBe(false)
    // What development allows is the address itself, not a way to it.
    expect(isAllowed('64:ff9b::127.0.0.1', ['127.0.0.1'])).toBe(false)
  })

  test('behavior: `allowPrivate` with a port allows exactly that port', () => {
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
    // An allowed private port stays closed on public addresses.
    expect(policy.isAddressAllowed('example.com', '1.1.1.1', 4021)).toBe(false)
  })

  test('behavior: `allowPrivate` without a port allows every port', () => {
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
    'error: refuses the `allowPrivate` entry "%s"',
    (entry) => {
      expect(() => createAddressPolicy({ allowPrivate: [entry] })).toThrow('expected a host, or host:port')
    },
  )
})

describe('guard and prober', () => {
  const policy = createAddressPolicy({ allowPrivate: [] })
  // Allowed addresses are dialled through a proxy that does not run, so the requests stay on this machine.
  const guardFetch = createPublicFetch({ env: { HTTP_PROXY: 'http://127.0.0.1:1' } })

  /** Asks the guard about a literal address. */
  async function isAllowedByGuard(host: string): Promise<boolean> {
    const error: unknown = await guardFetch(`http://${host}/`).catch((reason: unknown) => reason)
    if (!(error instanceof Error)) throw new Error(`the guard did not refuse ${host}`)
    if (error.name === 'PrivateAddressError') return false
    expect(error.cause).toMatchObject({ code: 'ECONNREFUSED', port: 1 })
    return true
  }
  const isAllowedByProber = (host: string) => {
    const address = host.replace(/^\[|\]$/g, '')
    return policy.isAddressAllowed(address, address, 80)
  }

  test('behavior: agree on random addresses and at the edges of every special range', async () => {
    const octet = fc.nat(255)
    const ipv4 = fc.tuple(octet, octet, octet, octet).map((parts) => parts.join('.'))
    const group = fc.nat(0xffff).map((value) => value.toString(16))
    const ipv6 = fc.array(group, { minLength: 8, maxLength: 8 }).map((parts) => parts.join(':'))
    const networks = SPECIAL_RANGES.map(({ range }) => range.split('/')[0] ?? '')
    const edges = fc
      .tuple(fc.constantFrom(...networks), fc.integer({ min: -2, max: 2 }))
      .map(([network, offset]) => shift(network, offset))
    await fc.assert(
      fc.asyncProperty(fc.oneof(ipv4, ipv6, edges), async (address) => {
        const host = address.includes(':') ? `[${address}]` : address
        const isPublic = isPublicAddress(address)
        expect([address, isAllowedByProber(host)]).toEqual([address, isPublic])
        expect([address, await isAllowedByGuard(host)]).toEqual([address, isPublic])
      }),
    )
  })

  test('behavior: refuse every literal address of the SSRF list', async () => {
    const hosts = ssrfUrls.flatMap((url) => (URL.canParse(url) ? [new URL(url).hostname] : []))
    const literals = [...new Set(hosts)].filter((host) => /^[\d.]+$|^\[/.test(host))
    expect(literals.length).toBeGreaterThan(20)
    for (const host of literals) {
      expect([host, isAllowedByProber(host), await isAllowedByGuard(host)]).toEqual([host, false, false])
    }
  })
})

/** Adds to the last part of an address, for neighbours of a range's first address. */
function shift(address: string, offset: number): string {
  const isIpv6 = address.includes(':')
  const [radix, separator, limit] = isIpv6 ? ([16, ':', 0x10000] as const) : ([10, '.', 0x100] as const)
  const at = address.lastIndexOf(separator) + 1
  const last = Number.parseInt(address.slice(at) || '0', radix)
  return address.slice(0, at) + ((last + offset + limit) % limit).toString(radix)
}
