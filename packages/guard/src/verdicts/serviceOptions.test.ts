import { describe, expect, test } from 'vitest'
import { readServiceOptions, type ServiceOptions } from './serviceOptions.ts'

const url = 'https://touchstone.example'
const problem = (given: object): string => {
  try {
    readServiceOptions({ url, ...given } as ServiceOptions)
    return ''
  } catch (error) {
    return String((error as Error & { details?: string }).details)
  }
}

describe('readServiceOptions', () => {
  test('default: fills in the defaults', () => {
    expect(readServiceOptions({ url })).toMatchObject({
      url,
      timeoutMs: 3000,
      maxLiveCheckUsd: '0.01',
      cacheSeconds: 60,
    })
  })

  test.each([
    ['an unknown field', { cacheSecond: 5 }, 'service.cacheSecond: unknown field; nearest: cacheSeconds'],
    [
      'a URL that is not safe',
      { url: 'http://touchstone.example' },
      'service.url: expected an https URL, or an http URL on this machine, not "http://touchstone.example"',
    ],
    [
      'a time-out of nothing',
      { timeoutMs: 0 },
      'service.timeoutMs: expected a whole number from 1 to 600000, not 0',
    ],
    [
      'a number of dollars',
      { maxLiveCheckUsd: 0.01 },
      'service.maxLiveCheckUsd: expected dollars as a decimal string such as "0.50", not 0.01',
    ],
    [
      'a big integer',
      { cacheSeconds: 5n },
      'service.cacheSeconds: expected a whole number from 0 to 86400, not a bigint',
    ],
    [
      'a receiver that is no address',
      { payTo: 'me' },
      'service.payTo: expected 0x and 40 hexadecimal digits, not "me"',
    ],
    [
      'a thumbprint that is cut',
      { jwksThumbprint: ['abc'] },
      'service.jwksThumbprint.0: expected an RFC 7638 thumbprint of 43 characters, not "abc"',
    ],
    [
      'no thumbprint',
      { jwksThumbprint: [] },
      'service.jwksThumbprint: expected a list that is not empty, not []',
    ],
    ['a fetch that cannot be called', { fetch: 'x' }, 'service.fetch: expected a function, not "x"'],
  ])('error: names the field, what was given and what would be right for %s', (_, given, expected) => {
    expect(problem(given)).toBe(expected)
  })
})
