import { expect, onTestFinished, test, vi } from 'vitest'
import { createMetrics } from '../lib/metrics.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { withReads } from '../store/testing/withFaults.ts'
import { addGauges, type GaugeDeps } from './metrics.ts'

test('behavior: a store that hangs holds up no other metric', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const never = () => new Promise<never>(() => {})
  const store = { ...createMemoryStore(), diskBytes: never }
  const tables = ['endpoint', 'host', 'payment'] as const
  const hanging = tables.reduce((before, table) => withReads(before, table, never), store)
  const metrics = createMetrics()
  const read = new Map<string, () => unknown>()
  const gauge = (name: string, _help: string, value: () => unknown) => read.set(name, value)
  const gaugeBy = (name: string, _help: string, _label: string, value: () => unknown) => read.set(name, value)
  const deps = { store: hanging, cache: { stats: () => ({ hits: 0, misses: 0, bytes: 0 }) } }
  addGauges({ ...metrics, gauge, gaugeBy }, { ...deps, now: () => 0 } as unknown as GaugeDeps)
  const names = ['claims_open', 'store_disk_bytes', 'crawl_newest_verdict_age_seconds']
  const values = Promise.all(names.map((name) => read.get(name)?.()))
  await vi.advanceTimersByTimeAsync(2000)
  expect(await values).toEqual([{}, Number.NaN, Number.NaN])
})
