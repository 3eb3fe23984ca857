import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalizeUrl, InvalidUrlError, isTemplate, matchesTemplate } from './canonicalUrl.ts'
import { fuzzRuns } from './testing/fuzzRuns.ts'

const keyOf = (input: string): string | undefined => {
  try {
    return canonicalizeUrl(input).key
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidUrlError)
    return undefined
  }
}

describe('canonicalizeUrl', () => {
  test.each([
    ['https://API.Example.com/Weather', 'https://api.example.com/Weather'],
    ['https://api.example.com', 'https://api.example.com/'],
    ['https://api.example.com:443/x', 'https://api.example.com/x'],
    ['http://api.example.com:443/x', 'http://api.example.com:443/x'],
    ['https://api.example.com./x', 'https://api.example.com/x'],
    ['https://api.example.com/x?city=Oslo#now', 'https://api.example.com/x'],
    ['https://api.example.com/a/../b/./c', 'https://api.example.com/b/c'],
    ['https://api.example.com/a/%2e%2e/b', 'https://api.example.com/b'],
    ['https://api.example.com/%7euser/%41', 'https://api.example.com/~user/A'],
    ['https://api.example.com/a%2fb', 'https://api.example.com/a%2Fb'],
    ['https://api.example.com/100%', 'https://api.example.com/100%25'],
    ['https://api.example.com/%a%41', 'https://api.example.com/%25aA'],
    ['https://api.example.com//a', 'https://api.example.com//a'],
    ['https://api.example.com/x?path=a\\b', 'https://api.example.com/x'],
    ['https://api.example.com/x#a\\b', 'https://api.example.com/x'],
    [`https://api.example.com/x?${'a'.repeat(16_000)}`, 'https://api.example.com/x'],
    ['https://bücher.example/x', 'https://xn--bcher-kva.example/x'],
    ['https://0x7f.1/x', 'https://127.0.0.1/x'],
    ['https://2130706433/x', 'https://127.0.0.1/x'],
    ['http://[0:0::1]:80/x', 'http://[::1]/x'],
    ['HTTP://shop.localhost:4021/x', 'http://shop.localhost:4021/x'],
  ])('default: canonicalizes %s to %s', (input, key) => {
    expect(canonicalizeUrl(input).key).toBe(key)
  })

  test('behavior: returns the parts of the key', () => {
    expect(canonicalizeUrl('https://api.example.com:8443/a?b')).toEqual({
      key: 'https://api.example.com:8443/a',
      origin: 'https://api.example.com:8443',
      host: 'api.example.com:8443',
      hostname: 'api.example.com',
      scheme: 'https',
      path: '/a',
    })
  })

  test.each([
    ['weather', 'not_a_url'],
    ['https:/api.example.com', 'not_a_url'],
    ['https:api.example.com', 'not_a_url'],
    ['https:///api.example.com', 'not_a_url'],
    ['//api.example.com/x', 'not_a_url'],
    ['javascript:alert(1)', 'not_a_url'],
    ['ftp://api.example.com/x', 'scheme_not_http'],
    ['https://user@api.example.com/x', 'has_credentials'],
    ['https://:secret@api.example.com/x', 'has_credentials'],
    ['https://@api.example.com/x', 'has_credentials'],
    ['https://api.example.com\\@evil.example/x', 'bad_characters'],
    ['https://api.example.com/a b', 'bad_characters'],
    [' https://api.example.com/', 'bad_characters'],
    ['https://api.example.com/\n', 'bad_characters'],
    ['https://api.example.com/\u00a0', 'bad_characters'],
    ['https://a..b/x', 'bad_host'],
    ['https://-a.example/x', 'bad_host'],
    ['https://./x', 'bad_host'],
    [`https://${'a'.repeat(64)}.example/x`, 'bad_host'],
    ['https://api.example.com/a\\b?c', 'bad_characters'],
    [`https://api.example.com/${'a'.repeat(2048)}`, 'too_long'],
    [`https://api.example.com/?${'a'.repeat(16_384)}`, 'too_long'],
  ])('error: rejects %j as %s', (input, code) => {
    expect(() => canonicalizeUrl(input)).toThrow(expect.objectContaining({ name: 'InvalidUrlError', code }))
  })

  const urls = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true, validSchemes: ['http', 'https', 'HTTP'] }),
    fc
      .tuple(
        fc.constantFrom('http://', 'https://', 'HTTPS://'),
        fc.constantFrom(
          'a.example',
          'A.Example.',
          'bücher.example',
          '127.1',
          '[::1]',
          'x.localhost:80',
          'a.b:443',
        ),
        fc.array(
          fc.constantFrom(
            '/',
            '..',
            '.',
            '%2e',
            '%2F',
            '%2f',
            '%41',
            'a',
            'é',
            ':id',
            '{id}',
            '%',
            '%zz',
            ';',
          ),
          {
            maxLength: 12,
          },
        ),
        fc.constantFrom('', '?a=b', '#c', '?'),
      )
      .map(([scheme, host, path, rest]) => `${scheme}${host}/${path.join('')}${rest}`),
    fc.string({ unit: 'binary' }),
  )

  test('behavior: is idempotent, and throws InvalidUrlError only', () => {
    let valid = 0
    fc.assert(
      fc.property(urls, (input) => {
        const key = keyOf(input)
        if (key === undefined) return
        valid += 1
        expect(keyOf(key)).toBe(key)
      }),
    )
    expect(valid).toBeGreaterThan(fuzzRuns(0.3))
  })

  test('behavior: keeps the host and port that a client would connect to', () => {
    fc.assert(
      fc.property(urls, (input) => {
        const key = keyOf(input)
        if (key === undefined) return
        expect(new URL(key).hostname).toBe(new URL(input).hostname.replace(/\.$/, ''))
        expect(new URL(key).port).toBe(new URL(input).port)
      }),
    )
  })
})

describe('matchesTemplate', () => {
  const key = (path: string) => canonicalizeUrl(`https://a.example${path}`).key
  test.each([
    ['/weather/{city}', '/weather/Oslo', true],
    ['/weather/:city', '/weather/Oslo', true],
    ['/weather/{city}/now', '/weather/Oslo/now', true],
    ['/weather/{city}', '/weather/', false],
    ['/weather/{city}', '/weather/Oslo/now', false],
    ['/weather/{city}', '/rain/Oslo', false],
    ['/weather/x{city}', '/weather/xOslo', false],
    ['/weather', '/weather', true],
  ])('default: template %s against %s: %s', (template, path, matches) => {
    expect(matchesTemplate(key(template), key(path))).toBe(matches)
  })

  test('behavior: a placeholder never matches a host', () => {
    expect(matchesTemplate('https://{host}/x', 'https://evil.example/x')).toBe(false)
    expect(matchesTemplate(key('/{a}'), 'https://evil.example/x')).toBe(false)
  })

  test('behavior: recognises templates', () => {
    expect([key('/a/{b}'), key('/a/:b'), key('/a/b'), key('/')].map(isTemplate)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})
