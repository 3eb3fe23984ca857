import { expect, test } from 'vitest'
import { createMemoryStore } from '../adapters/store/memory/createMemoryStore.ts'
import { DAY, HOUR } from '../domain/facts/times.ts'
import { carry } from '../domain/judge/memory/carried.ts'
import { A, B, confirmed, down, ENDPOINT, HOST, judge, series, T0, up } from '../domain/testing/facts.ts'
import { readHistory } from './readHistory.ts'

test('default: leaves out control probes and other endpoints', async () => {
  const own = series(T0, 3, HOUR)
  const control = up(T0 + HOUR, { purpose: 'control', payTo: `0x${'d'.repeat(40)}` })
  const other = down(T0 + HOUR, { endpoint: 'https://api.example/other' })
  const store = createMemoryStore()
  await store.append([...own, control, other])
  const { history } = await readHistory(store, judge(own).state, T0 + 3 * HOUR)
  expect(history.daily).toMatchObject([{ up: 3, down: 0 }])
  expect(history.payToHistory).toHaveLength(1)
  expect(history.uptime).toMatchObject({ pct: 100, probes: 3 })
})

test('behavior: days whose looks were dropped are those that were kept of them', async () => {
  const looks = [...series(T0, 4, 8 * HOUR), ...confirmed(T0 + 2 * DAY, B), ...series(T0 + 4 * DAY, 3, HOUR)]
  const { days } = carry(undefined, looks)
  const whole = createMemoryStore()
  const { state } = judge(looks)
  await whole.putEndpoint({ state, carried: carry(undefined, looks).carried }, { facts: looks, days })
  // Without the first looks, but one of the second day.
  const kept = createMemoryStore()
  await kept.putEndpoint({ state, carried: carry(undefined, looks).carried }, { facts: looks.slice(5), days })
  const base = carry(undefined, looks.slice(0, 5)).carried
  const now = T0 + 5 * DAY
  const all = await readHistory(whole, state, now)
  expect(await readHistory({ ...kept, base: async () => base }, state, now)).toMatchObject({
    history: { ...all.history, daily: all.history.daily.map(({ date, up: ups }) => ({ date, up: ups })) },
    days: all.days,
  })
  expect(all.history.payToHistory.map(({ payTo }) => payTo)).toEqual([A, B])
  expect(all.days.at(-1)).toMatchObject({ endpoint: ENDPOINT, host: HOST, date: '2026-06-05', up: 3 })
})
