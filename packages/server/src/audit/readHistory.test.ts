import { expect, test } from 'vitest'
import { HOUR } from '../domain/facts/times.ts'
import { down, judge, series, T0, up } from '../domain/testing/facts.ts'
import { readHistory } from './readHistory.ts'

test('default: leaves out control probes and other endpoints', async () => {
  const own = series(T0, 3, HOUR)
  const control = up(T0 + HOUR, { purpose: 'control', payTo: `0x${'d'.repeat(40)}` })
  const other = down(T0 + HOUR, { endpoint: 'https://api.example/other' })
  const facts = { observations: [...own, control, other], changes: [], incidents: [] }
  const store = { receiver: async () => [] }
  const { history } = await readHistory(store, facts, judge(own).state, T0 + 3 * HOUR)
  expect(history.daily).toMatchObject([{ up: 3, down: 0 }])
  expect(history.payToHistory).toHaveLength(1)
  expect(history.uptime).toMatchObject({ pct: 100, probes: 3 })
})
