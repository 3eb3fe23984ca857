import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cacheControl } from './freeRoute.ts'

test('default', () => {
  expect(cacheControl(60, undefined, 0)).toEqual({
    text: 'public, max-age=60, stale-while-revalidate=60',
    until: Number.POSITIVE_INFINITY,
  })
  expect(cacheControl(60, 90_500, 0).text).toBe('public, max-age=60, stale-while-revalidate=30')
  expect(cacheControl(60, 500, 1000).text).toBe('public, max-age=0, stale-while-revalidate=0')
})

test('behavior: the header stays the same until its expiry, and differs from then on', () => {
  const ms = fc.integer({ min: 0, max: 300_000 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), ms, (maxAge, expiresAt) => {
      const { text, until } = cacheControl(maxAge, expiresAt, 0)
      if (until > expiresAt) return
      expect(cacheControl(maxAge, expiresAt, until - 1).text).toBe(text)
      expect(cacheControl(maxAge, expiresAt, until).text).not.toBe(text)
    }),
  )
})
