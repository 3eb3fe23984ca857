import { expect, test } from 'vitest'
import { up } from '../judge/testing/facts.ts'
import { foldDays } from './dailyMeasurements.ts'
import type { Observation } from './facts.ts'
import { toDate } from './times.ts'

const probe = (at: string, changes: Partial<Observation>): Observation =>
  up(Date.parse(at), { id: at, client: 'crawler', latencyMs: 10, offers: [], ...changes })

test('default: counts outcomes by endpoint and UTC day, with nearest-rank latencies', () => {
  const latencies = [50, 10, 40, 30, 20, 60, 70, 80, 90, 100]
  const days = foldDays([
    ...latencies.map((latencyMs) => probe('2026-06-01T23:59:59.999Z', { latencyMs })),
    probe('2026-06-01T00:00:00.000Z', { outcome: 'down', cause: 'timeout', latencyMs: 9999 }),
    probe('2026-06-02T00:00:00.000Z', { outcome: 'not_measured', cause: 'own_fault', latencyMs: null }),
    probe('2026-06-01T12:00:00.000Z', { endpoint: 'https://api.example/b' }),
  ])
  const place = { endpoint: 'https://api.example/a', host: 'api.example' }
  expect(days).toEqual([
    { ...place, date: '2026-06-01', up: 10, down: 1, notMeasured: 0, latencyMsP50: 50, latencyMsP90: 90 },
    {
      ...place,
      endpoint: 'https://api.example/b',
      date: '2026-06-01',
      up: 1,
      down: 0,
      notMeasured: 0,
      latencyMsP50: 10,
      latencyMsP90: 10,
    },
    {
      ...place,
      date: '2026-06-02',
      up: 0,
      down: 0,
      notMeasured: 1,
      latencyMsP50: null,
      latencyMsP90: null,
    },
  ])
})

test('behavior: leaves out control probes', () => {
  expect(foldDays([probe('2026-06-01T00:00:00.000Z', { purpose: 'control' })])).toEqual([])
})

test('default: formats the UTC day of a time', () => {
  expect(toDate(Date.UTC(2026, 5, 1, 23, 59, 59, 999))).toBe('2026-06-01')
})
