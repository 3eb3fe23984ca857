import { expect, test } from 'vitest'
import { DAY, HOUR } from '../facts/times.ts'
import type { Log } from '../lib/logging.ts'
import { readReports } from '../store/facts.ts'
import type { Store } from '../store/store.ts'
import { aState } from '../store/testing/documents.ts'
import { NOON } from '../store/testing/records.ts'
import { countIds } from '../testing/countIds.ts'
import { reportToday, writeReports } from './report.ts'
import { createJumpClock } from './testing/jumpClock.ts'
import { openStore } from './testing/openStore.ts'

async function setUp(totals?: Store['totals']) {
  const store = await openStore()
  const clock = createJumpClock(NOON)
  const ctx = {
    store: { ...store, ...(totals && { totals }) },
    clock,
    ids: countIds(),
    log: () => {},
  }
  const reporter = {
    reportToday: () => reportToday(ctx),
    run: (signal: AbortSignal) => writeReports(ctx, signal),
  }
  return { store, clock, reporter }
}

test('default: writes one report per day', async () => {
  const { store, reporter } = await setUp()
  await store.write(
    'putEndpoint',
    aState({ endpoint: 'https://a.example/a', derivedAt: NOON, nextProbeAt: NOON }),
  )
  expect(await reporter.reportToday()).toBe(true)
  expect(await reporter.reportToday()).toBe(true)
  expect((await readReports(store)).map(({ date, tracked }) => [date, tracked])).toEqual([['2026-06-01', 1]])
})

test('behavior: writes a report at start and at the start of each day', async () => {
  const { store, clock, reporter } = await setUp()
  await store.write(
    'putEndpoint',
    aState({ endpoint: 'https://a.example/a', derivedAt: NOON, nextProbeAt: NOON }),
  )
  const ending = new AbortController()
  const { sleep } = clock
  clock.sleep = (ms, signal) => {
    if (clock.slept.length === 3) ending.abort()
    return sleep(ms, signal)
  }
  await reporter.run(ending.signal)
  expect(clock.slept).toEqual([12 * HOUR, DAY, DAY])
  expect((await readReports(store)).map(({ asOf }) => asOf)).toEqual([
    '2026-06-01T12:00:00.000Z',
    '2026-06-02T00:00:00.000Z',
    '2026-06-03T00:00:00.000Z',
    '2026-06-04T00:00:00.000Z',
  ])
})

test('behavior: writes no report without hosts, and retries within the hour', async () => {
  // A store counts again only after a while.
  let counted: Store = await openStore()
  const { store, clock, reporter } = await setUp((now) => counted.totals(now))
  const ending = new AbortController()
  const { sleep } = clock
  clock.sleep = async (ms, signal) => {
    await sleep(ms, signal)
    expect(await readReports(store)).toEqual([])
    await store.write(
      'putEndpoint',
      aState({ endpoint: 'https://a.example/a', derivedAt: NOON, nextProbeAt: NOON }),
    )
    counted = store
    clock.sleep = async () => ending.abort()
  }
  await reporter.run(ending.signal)
  expect(clock.slept).toEqual([HOUR])
  expect((await readReports(store)).map(({ asOf }) => asOf)).toEqual(['2026-06-01T13:00:00.000Z'])
})

test('error: reports a store failure and goes on', async () => {
  const { store, clock } = await setUp()
  await store.write(
    'putEndpoint',
    aState({ endpoint: 'https://a.example/a', derivedAt: NOON, nextProbeAt: NOON }),
  )
  await store.close()
  const errors: unknown[] = []
  const ending = new AbortController()
  const { sleep } = clock
  clock.sleep = (ms, signal) => {
    if (clock.slept.length === 1) ending.abort()
    return sleep(ms, signal)
  }
  const log: Log = (_, message) => errors.push(message)
  await writeReports({ store, clock, ids: countIds(), log }, ending.signal)
  expect(errors).toHaveLength(2)
  expect(clock.slept).toEqual([HOUR])
})
