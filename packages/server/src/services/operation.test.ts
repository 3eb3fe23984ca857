import { expect, test } from 'vitest'
import { MINUTE } from '../facts/times.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { aState } from '../store/testing/documents.ts'
import { NOON } from '../store/testing/records.ts'
import { describeOperation, readOperation } from './operation.ts'

test('default: one line tells of store, cache and crawl', async () => {
  const store = createMemoryStore()
  await store.write(
    'putEndpoint',
    aState({ endpoint: 'https://a.example/a', derivedAt: NOON, nextProbeAt: NOON + MINUTE }),
  )
  await store.write(
    'putEndpoint',
    aState({ endpoint: 'https://b.example/a', derivedAt: NOON + 90_000, nextProbeAt: NOON + 2 * MINUTE }),
  )
  const measured = { ...store, diskBytes: async () => 3 * 1024 * 1024 }
  const cache = { stats: () => ({ hits: 3, misses: 1, bytes: 512 * 1024 }) }
  const operation = await readOperation({ store: measured, cache }, { slowestProbeMs: 1250 }, NOON + 100_000)
  expect(describeOperation(operation)).toBe(
    'store: 3.0 MB on disk; answer cache: 75.0 % of 4 calls hit, 0.5 MB; newest verdict: 10.0 s old; ' +
      'oldest due endpoint: due for 40.0 s; slowest probe: 1.3 s',
  )
})

test('behavior: an empty store', async () => {
  const cache = { stats: () => ({ hits: 0, misses: 0, bytes: 0 }) }
  const operation = await readOperation({ store: createMemoryStore(), cache }, { slowestProbeMs: null }, NOON)
  expect(describeOperation(operation)).toBe(
    'store: 0.0 MB on disk; answer cache: unused, 0.0 MB; newest verdict: none; oldest due endpoint: none; ' +
      'slowest probe: none',
  )
})
