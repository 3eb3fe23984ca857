import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareResource, originOf } from './resource.ts'
import { isSameSite } from './sameSite.ts'

const ASKED = 'https://api.example.com/x'

describe('compareResource', () => {
  test.each([
    ['nothing', null],
    ['the asked URL', ASKED],
    ['another path and a query', 'https://api.example.com/y?a=1'],
    ['http behind a proxy that ends TLS', 'http://api.example.com/x'],
    ['the default port', 'https://api.example.com:443/x'],
    ['a trailing dot', 'https://api.example.com./x'],
    ['a relative path', '/x'],
    ['a path of nothing', ''],
    ['a tool of MCP', 'mcp://tool/weather'],
  ])('default: %s fits', (_, resource) => {
    expect(compareResource(resource, ASKED)).toBe('fits')
  })

  test.each([
    ['another host', 'https://bank.example/x'],
    ['another port', 'https://api.example.com:8443/x'],
    ['another host without a scheme', '//bank.example/x'],
    ['another host behind backslashes', '\\\\bank.example/x'],
    ['another host behind a name', 'https://api.example.com@bank.example/x'],
    ['a subdomain', 'https://www.example.com/x'],
    ['a public address', 'https://93.184.216.34/x'],
    ['a host that begins like a private address', 'https://10.example.org/x'],
  ])('behavior: %s is foreign', (_, resource) => {
    expect(compareResource(resource, ASKED)).toBe('foreign')
  })

  test.each([
    ...[
      'localhost:3000',
      '127.0.0.1:8080',
      '0.0.0.0',
      '10.0.0.7',
      '172.16.3.4',
      '192.168.1.1',
      '169.254.1.1',
    ],
    ...['[::1]:3000', '[fd00::1]', 'api', 'app.localhost', 'svc.internal', 'nas.local'],
  ])('behavior: %s is a private name', (host) => {
    expect(compareResource(`http://${host}/x`, ASKED)).toBe('private')
  })

  test('behavior: on a private network, private names are other hosts', () => {
    expect(compareResource('http://127.0.0.1:4001/x', 'http://127.0.0.1:4000/x')).toBe('foreign')
    expect(compareResource('http://127.0.0.1:4000/y', 'http://127.0.0.1:4000/x')).toBe('fits')
    expect(compareResource('http://10.0.0.7:4000/x', 'http://127.0.0.1:4000/x')).toBe('foreign')
  })

  test('behavior: all names of this machine are one host', () => {
    expect(compareResource('http://localhost:4000/x', 'http://127.0.0.1:4000/x')).toBe('fits')
    expect(compareResource('http://127.0.0.1:4000/x', 'http://[::1]:4000/x')).toBe('fits')
    expect(compareResource('http://localhost:4001/x', 'http://127.0.0.1:4000/x')).toBe('foreign')
    expect(compareResource('http://a.localhost:4000/x', 'http://localhost:4000/x')).toBe('foreign')
  })

  test('behavior: a host of the same site fits where the list is at hand, and keeps its port', () => {
    expect(compareResource('https://www.example.com/x', ASKED, isSameSite)).toBe('fits')
    expect(compareResource('https://www.example.com:8443/x', ASKED, isSameSite)).toBe('foreign')
    expect(compareResource('https://example.org/x', ASKED, isSameSite)).toBe('foreign')
  })

  test('behavior: two tenants of a platform are two sites', () => {
    for (const platform of ['vercel.app', 'github.io', 'workers.dev', 'onrender.com', 'co.uk']) {
      expect(isSameSite(`a.${platform}`, `b.${platform}`)).toBe(false)
      expect(isSameSite(`www.a.${platform}`, `api.a.${platform}`)).toBe(true)
    }
    expect(isSameSite('10.0.0.1', '10.0.0.2')).toBe(false)
  })

  test('behavior: never throws, and the origin of a resource fits wherever the resource does', () => {
    const resource = fc.oneof(
      fc.webUrl(),
      fc.string(),
      fc.webAuthority().map((host) => `//${host}`),
    )
    fc.assert(
      fc.property(resource, (text) => {
        expect(compareResource(originOf(text), ASKED)).toBe(compareResource(text, ASKED))
      }),
    )
  })

  test('behavior: the origin of a resource has no trailing dot', () => {
    expect(originOf('https://www.example.com.:8443/x')).toBe('https://www.example.com:8443')
  })
})
