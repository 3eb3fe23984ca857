import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clientKey, createLimiter } from './rateLimit.ts'

test('default', () => {
  let now = 5000
  const limiter = createLimiter({ points: 2, windowSeconds: 60 }, () => now)
  expect([limiter.take('a'), limiter.take('a'), limiter.take('b')]).toEqual([0, 0, 0])
  now += 500
  expect(limiter.take('a')).toBe(60)
  now = 5000 + 59_999
  expect(limiter.take('a')).toBe(1)
  expect(limiter.take('b')).toBe(0)
  now += 1
  expect([limiter.take('a'), limiter.take('a'), limiter.take('a')]).toEqual([0, 0, 60])
})

test('behavior: uses the system clock by default', () => {
  const limiter = createLimiter({ points: 1, windowSeconds: 3600 })
  expect(limiter.take('a')).toBe(0)
  expect(limiter.take('a')).toBeGreaterThan(3000)
})

test('behavior: each client is counted independently of the others', () => {
  const call = fc.record({
    client: fc.constantFrom('a', 'b', 'c'),
    afterMs: fc.integer({ min: 0, max: 700 }),
  })
  fc.assert(
    fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
      let now = 0
      const limit = { points: 3, windowSeconds: 1 }
      const together = createLimiter(limit, () => now)
      const alone = new Map(['a', 'b', 'c'].map((client) => [client, createLimiter(limit, () => now)]))
      for (const { client, afterMs } of calls) {
        now += afterMs
        expect(together.take(client)).toBe(alone.get(client)?.take('it'))
      }
    }),
  )
})

test('behavior: the key of a client is its IPv4 address or its IPv6 /64', () => {
  expect(clientKey('2001:db8:0:1::1')).toBe('2001:db8:0:1::/64')
  expect(clientKey('2001:0db8:0000:0001:ffff::')).toBe('2001:db8:0:1::/64')
  expect(clientKey('2001:db8::1')).toBe('2001:db8:0:0::/64')
  expect(clientKey('::1')).toBe('0:0:0:0::/64')
  expect(clientKey('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
  expect(clientKey('::ffff:203.0.113.7')).toBe('203.0.113.7')
  expect(clientKey('203.0.113.7')).toBe('203.0.113.7')
})

test('behavior: the port that a proxy reports does not change the key', () => {
  for (const port of [1, 5000, 65_535]) {
    expect(clientKey(`203.0.113.7:${port}`)).toBe('203.0.113.7')
    expect(clientKey(`[2001:db8:0:1::1]:${port}`)).toBe('2001:db8:0:1::/64')
    expect(clientKey(`[::ffff:203.0.113.7]:${port}`)).toBe('203.0.113.7')
  }
  expect(clientKey('[2001:db8::1]')).toBe('2001:db8:0:0::/64')
})
