import { expect, test } from 'vitest'
import { HOUR } from '../facts/times.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { aState } from '../store/testing/documents.ts'
import { NOON } from '../store/testing/records.ts'
import { checkReadiness } from './createHttpApp.ts'

const working = { failingSince: null }

test('default: tells a fresh crawl from a stale one, which stays ready', async () => {
  const store = createMemoryStore()
  const crawlAt = async (now: number) => (await checkReadiness(store, working, now)).checks.crawl
  expect(await crawlAt(NOON)).toBe('nothing probed yet')
  await store.putEndpoint(aState({ endpoint: 'https://a.example/a', derivedAt: NOON, nextProbeAt: NOON }))
  expect(await crawlAt(NOON + 6 * HOUR)).toBe('fresh')
  expect(await crawlAt(NOON + 6 * HOUR + 1)).toBe('stale')
  expect((await checkReadiness(store, working, NOON + 7 * HOUR)).isReady).toBe(true)
})

test('behavior: a failing crawl is reported, and stays ready', async () => {
  expect(await checkReadiness(createMemoryStore(), { failingSince: NOON }, NOON)).toEqual({
    isReady: true,
    checks: { store: 'ok', crawl: 'failing' },
  })
})

test('error: is not ready while the store does not respond', async () => {
  const store = { newestAt: () => Promise.reject(new Error('no connection')) }
  expect(await checkReadiness(store, working, NOON)).toEqual({
    isReady: false,
    checks: { store: 'unavailable', crawl: 'unknown' },
  })
})
