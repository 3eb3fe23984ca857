import { expect, test } from 'vitest'
import { clientKey, createLimiter } from './rateLimit.ts'

test('default', async () => {
  const limiter = createLimiter({ points: 2, windowSeconds: 60 })
  expect(await limiter.take('a')).toBe(0)
  expect(await limiter.take('a')).toBe(0)
  expect(await limiter.take('a')).toBeGreaterThan(50)
  expect(await limiter.take('b')).toBe(0)
})

test('behavior: an IPv6 client is its /64, an IPv4 one its address', () => {
  expect(clientKey('2001:db8:0:1::1')).toBe('2001:db8:0:1::/64')
  expect(clientKey('2001:0db8:0000:0001:ffff::')).toBe('2001:db8:0:1::/64')
  expect(clientKey('2001:db8::1')).toBe('2001:db8:0:0::/64')
  expect(clientKey('::1')).toBe('0:0:0:0::/64')
  expect(clientKey('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
  expect(clientKey('::ffff:203.0.113.7')).toBe('203.0.113.7')
  expect(clientKey('203.0.113.7')).toBe('203.0.113.7')
})
