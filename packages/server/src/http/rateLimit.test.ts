import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { clientKey, createLimiter } from './rateLimit.ts'

/** Stops the time of limits until the test ends. Returns a function that passes time in ms. */
function holdTime() {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  return (ms: number) => vi.advanceTimersByTime(ms)
}

test('default', () => {
  const passTime = holdTime()
  const limiter = createLimiter({ points: 2, windowSeconds: 60 })
  expect([limiter.take('a'), limiter.take('a'), limiter.take('b')]).toEqual([0, 0, 0])
  passTime(500)
  expect(limiter.take('a')).toBe(60)
  passTime(59_499)
  expect(limiter.take('a')).toBe(1)
  expect(limiter.take('b')).toBe(0)
  passTime(1)
  expect([limiter.take('a'), limiter.take('a'), limiter.take('a')]).toEqual([0, 0, 60])
})

test('behavior: counts in real time', () => {
  const limiter = createLimiter({ points: 1, windowSeconds: 3600 })
  expect(limiter.take('a')).toBe(0)
  expect(limiter.take('a')).toBeGreaterThan(3000)
})

test('behavior: each client is counted independently of the others', () => {
  const call = fc.record({
    client: fc.constantFrom('a', 'b', 'c'),
    afterMs: fc.integer({ min: 0, max: 700 }),
  })
  const passTime = holdTime()
  fc.assert(
    fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
      const limit = { points: 3, windowSeconds: 1 }
      const together = createLimiter(limit)
      const alone = new Map(['a', 'b', 'c'].map((client) => [client, createLimiter(limit)]))
      for (const { client, afterMs } of calls) {
        passTime(afterMs)
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
