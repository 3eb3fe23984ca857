import { expect, test } from 'vitest'
import { createMemoryStore } from '../adapters/store/memory/createMemoryStore.ts'
import { documentOf, NOON } from '../adapters/store/testing/records.ts'
import { DAY, HOUR } from '../domain/facts/times.ts'
import { putHosts } from '../readModel/testing/putHosts.ts'
import { createReporter } from './report.ts'
import { createJumpClock } from './testing/jumpClock.ts'

async function setUp() {
  const store = createMemoryStore()
  const clock = createJumpClock(NOON)
  let ids = 0
  const reporter = createReporter({ store, clock, newId: (prefix) => `${prefix}_${ids++}` })
  return { store, clock, reporter }
}

test('default: writes one report per day', async () => {
  const { store, reporter } = await setUp()
  await putHosts(store, documentOf('a.example', NOON))
  expect(await reporter.reportToday()).toBe(true)
  expect(await reporter.reportToday()).toBe(false)
  expect((await store.reports()).map(({ date, tracked }) => [date, tracked])).toEqual([['2026-06-01', 1]])
})

test('behavior: writes a report at start and at the start of each day', async () => {
  const { store, clock, reporter } = await setUp()
  await putHosts(store, documentOf('a.example', NOON))
  const ending = new AbortController()
  const { sleep } = clock
  clock.sleep = (ms, signal) => {
    if (clock.slept.length === 3) ending.abort()
    return sleep(ms, signal)
  }
  await reporter.run(ending.signal)
  expect(clock.slept).toEqual([12 * HOUR, DAY, DAY])
  expect((await store.reports()).map(({ asOf }) => asOf)).toEqual([
    '2026-06-01T12:00:00.000Z',
    '2026-06-02T00:00:00.000Z',
    '2026-06-03T00:00:00.000Z',
    '2026-06-04T00:00:00.000Z',
  ])
})

test('behavior: writes no report without hosts, and retries within the hour', async () => {
  const { store, clock, reporter } = await setUp()
  const ending = new AbortController()
  const { sleep } = clock
  clock.sleep = async (ms, signal) => {
    await sleep(ms, signal)
    expect(await store.reports()).toEqual([])
    if (clock.slept.length === 1) await putHosts(store, documentOf('a.example', NOON))
    clock.sleep = async () => ending.abort()
  }
  await reporter.run(ending.signal)
  expect(clock.slept).toEqual([HOUR])
  expect((await store.reports()).map(({ asOf }) => asOf)).toEqual(['2026-06-01T13:00:00.000Z'])
})

test('error: reports a store failure and goes on', async () => {
  const { store, clock } = await setUp()
  await putHosts(store, documentOf('a.example', NOON))
  await store.close()
  const errors: unknown[] = []
  const ending = new AbortController()
  const { sleep } = clock
  clock.sleep = (ms, signal) => {
    if (clock.slept.length === 1) ending.abort()
    return sleep(ms, signal)
  }
  const reporter = createReporter({
    store,
    clock,
    newId: () => 'rep',
    onError: (error) => errors.push(error),
  })
  await reporter.run(ending.signal)
  expect(errors).toHaveLength(2)
  expect(clock.slept).toEqual([HOUR])
})
