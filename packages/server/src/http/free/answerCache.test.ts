import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { type CachedAnswer, createAnswerCache } from './answerCache.ts'
import { JSON_TYPE, makeReady } from './readyAnswer.ts'

const NOW = Date.parse('2026-01-31T12:00:10Z')

// Copies the text: slices of one string would share its memory.
const text = (value: string) => Buffer.from(value, 'latin1').toString('latin1')

const answer = (number: number): CachedAnswer => ({
  target: text(`/verify?endpoint=http%3A%2F%2Fa.example%2F${number}`),
  ready: makeReady(`{"advice":"${'x'.repeat(number % 3000)}","probes":${number}}`, {
    type: JSON_TYPE,
    cacheControl: text(`public, max-age=60, stale-while-revalidate=${number}`),
  }),
  madeAt: NOW,
  until: NOW + 60_000,
  isCurrent: () => number >= 0,
})

const createCache = (answerCacheBytes: number, now = () => NOW) =>
  createAnswerCache({ clock: { ...systemClock, now }, config: { answerCacheBytes } })

test('behavior: answers take no more memory than allowed', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heapBytes = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const maxBytes = 8 * 1024 * 1024
  const before = heapBytes()
  const cache = createCache(maxBytes)
  const last = 12_000
  for (let number = 0; number <= last; number++) cache.put(answer(number))
  const held = heapBytes() - before
  expect(cache.get(answer(last).target)).toBeDefined()
  expect(held).toBeLessThan(maxBytes)
})

test('behavior: what is asked for stays, what is not goes first', () => {
  const cache = createCache(64 * 1024)
  for (let number = 1; number <= 500; number++) {
    cache.put(answer(number))
    expect(cache.get(answer(1).target)).toBeDefined()
  }
  expect(cache.get(answer(2).target)).toBeUndefined()
  expect(cache.get(answer(500).target)).toBeDefined()
})

test('behavior: an answer larger than half of the cache is not kept, and puts no other out', () => {
  const cache = createCache(2048)
  cache.put(answer(10))
  cache.put(answer(2000))
  expect(cache.get(answer(10).target)).toBeDefined()
  expect(cache.get(answer(2000).target)).toBeUndefined()
})

test('behavior: an answer that was made after now, as when the clock was set back, is not given', () => {
  let now = NOW
  const cache = createCache(64 * 1024, () => now)
  cache.put(answer(1))
  expect(cache.get(answer(1).target)).toBeDefined()
  now -= 1
  expect(cache.get(answer(1).target)).toBeUndefined()
})

test('behavior: it counts what came from it, and what was made', () => {
  const cache = createCache(64 * 1024)
  expect(cache.stats()).toEqual({ bytes: 0, hits: 0, misses: 0 })
  expect(cache.get(answer(1).target)).toBeUndefined()
  cache.put(answer(1))
  for (const number of [1, 1, 2]) cache.get(answer(number).target)
  expect(cache.stats()).toMatchObject({ hits: 2, misses: 1 })
  expect(cache.stats().bytes).toBeGreaterThan(700)
})
