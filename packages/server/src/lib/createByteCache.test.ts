import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createByteCache } from './createByteCache.ts'

const sizeOf = (text: string) => text.length

test('default: keeps values until they expire, the newest of a key', () => {
  let now = 0
  const cache = createByteCache({ maxBytes: 10_000, expiryMs: 100, sizeOf, now: () => now })
  cache.set('a', 'one')
  cache.set('a', 'two')
  now = 99
  expect(cache.get('a')).toMatchObject({ at: 0, value: 'two' })
  now = 100
  expect(cache.get('a')).toBeUndefined()
})

test('behavior: evicts what was not used for the longest time, and never keeps a value that alone exceeds the bound', () => {
  const cache = createByteCache({ maxBytes: 1000, expiryMs: 100, sizeOf, now: () => 0 })
  for (const key of ['a', 'b', 'c']) cache.set(key, key.repeat(200))
  expect(['a', 'b', 'c'].map((key) => cache.get(key)?.value[0])).toEqual([undefined, 'b', 'c'])
  cache.set('d', 'd'.repeat(1000))
  expect(['b', 'c', 'd'].map((key) => cache.get(key))).toEqual([undefined, undefined, undefined])
})

test('behavior: what is used stays, and what is dropped is gone', () => {
  const cache = createByteCache({ maxBytes: 1000, expiryMs: 100, sizeOf, now: () => 0 })
  cache.set('used', 'u'.repeat(200))
  for (let number = 0; number < 50; number++) {
    cache.set(`other ${number}`, 'o'.repeat(200))
    expect(cache.get('used')).toBeDefined()
  }
  cache.drop('used')
  expect([cache.get('used'), cache.get('other 49')?.value.length]).toEqual([undefined, 200])
  cache.clear()
  expect(cache.get('other 49')).toBeUndefined()
})

test('behavior: the bound holds in any order of writes and times', () => {
  const write = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(900), fc.nat(60))
  fc.assert(
    fc.property(fc.array(write), (writes) => {
      let now = 0
      const cache = createByteCache({ maxBytes: 1000, expiryMs: 100, sizeOf, now: () => now })
      for (const [key, length, ms] of writes) {
        now += ms
        cache.set(key, 'x'.repeat(length))
        const kept = ['a', 'b', 'c', 'd'].flatMap((one) => cache.get(one)?.value.length ?? [])
        expect(kept.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(1000)
        expect(cache.get(key) === undefined).toBe(length > 798)
      }
    }),
  )
})
