import { expect, test } from 'vitest'
import { foldDays } from '../facts/dailyMeasurements.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { A, B, confirmed, down, ENDPOINT, HOST, judge, series, T0, up } from '../judge/testing/facts.ts'
import { createMemoryStore } from '../store/testing/createMemoryStore.ts'
import { readHistory } from './readHistory.ts'

test('default: leaves out control probes and other endpoints', async () => {
  const own = series(T0, 3, HOUR)
  const control = up(T0 + HOUR, { purpose: 'control', payTo: `0x${'d'.repeat(40)}` })
  const other = down(T0 + HOUR, { endpoint: 'https://api.example/other' })
  const store = createMemoryStore()
  await store.write('putEndpoint', judge(own).state, { facts: [...own, control, other], days: foldDays(own) })
  const { history } = await readHistory(store, judge(own).state, T0 + 3 * HOUR)
  expect(history.daily).toMatchObject([{ up: 3, down: 0 }])
  expect(history.payToHistory).toHaveLength(1)
  expect(history.uptime).toMatchObject({ pct: 100, probes: 3 })
})

test('behavior: receivers, prices and days outlive the probes that showed them', async () => {
  const observations = [
    ...series(T0, 4, 8 * HOUR),
    ...confirmed(T0 + 2 * DAY, B),
    ...series(T0 + 4 * DAY, 3, HOUR),
  ]
  const days = foldDays(observations)
  const { state, changes } = judge(observations)
  const published = changes.map((change) => ({ kind: 'change' as const, id: change.id, at: T0, change }))
  const read = async (kept: typeof observations) => {
    const store = createMemoryStore()
    await store.write('putEndpoint', state, { facts: [...kept, ...published], days })
    return readHistory(store, state, T0 + 5 * DAY)
  }
  const all = await read(observations)
  const some = await read(observations.slice(5))
  expect(some.days).toEqual(all.days)
  expect(some.history).toEqual({ ...all.history, uptime: some.history.uptime })
  expect(all.history.payToHistory.map(({ payTo }) => payTo)).toEqual([A, B])
  expect(all.days.at(-1)).toMatchObject({ endpoint: ENDPOINT, host: HOST, date: '2026-06-05', up: 3 })
})
