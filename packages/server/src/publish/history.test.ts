import { describe, expect, test } from 'vitest'
import { foldDays } from '../facts/dailyMeasurements.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { splitEpochs } from '../judge/epochs.ts'
import { toHistory } from '../judge/history.ts'
import { A, B, confirmed, down, ENDPOINT, record, series, T0, up } from '../judge/testing/facts.ts'
import { describeHistory } from './history.ts'

function history(observations: ReturnType<typeof up>[]) {
  const now = (observations.at(-1)?.at ?? T0) + 1
  const past = toHistory({ observations, isWhole: true, changes: [] }, now)
  return describeHistory({
    state: { endpoint: ENDPOINT, firstSeen: T0 },
    darkSince: null,
    past,
    epochs: splitEpochs(past.probes).epochs,
    days: foldDays(observations),
    recordsOf: (_network, of) => [record(T0, { address: of })],
    changes: [],
    incidents: [],
    now,
  })
}

describe('describeHistory', () => {
  test('default', () => {
    const swapAt = T0 + 2 * DAY
    const dear = up(T0 + 3 * DAY, { payTo: B, amount: '20000', latencyMs: 90 })
    const { payToHistory, priceHistory, daily, uptime, firstSeen } = history([
      ...series(T0, 3, 12 * HOUR),
      ...confirmed(swapAt, B),
      dear,
    ])
    const [t0, swap, rise] = [T0, swapAt, dear.at].map((at) => new Date(at).toISOString())
    expect(payToHistory).toMatchObject([
      { payTo: A, from: t0, to: swap, proof: { address: A, blockNumber: 1000 } },
      { payTo: B, from: swap, to: null },
    ])
    expect(priceHistory).toMatchObject([
      { priceUsd: 0.01, amountAtomic: '10000', from: t0, to: rise },
      { priceUsd: 0.02, amountAtomic: '20000', from: rise, to: null },
    ])
    expect(daily.map(({ date, up: ups }) => [date, ups])).toEqual([
      ['2026-06-01', 2],
      ['2026-06-02', 1],
      ['2026-06-03', 12],
      ['2026-06-04', 1],
    ])
    expect(daily.at(-1)).toMatchObject({ latencyMsP50: 90, latencyMsP90: 90 })
    expect(uptime).toMatchObject({ pct: 100, probes: 4, windowDays: 30 })
    expect(firstSeen).toBe('2026-06-01')
  })

  test('behavior: the trend compares two weeks with at least 3 probes each', () => {
    const week = (from: number, everyOtherFails: boolean) =>
      series(from, 14, 12 * HOUR, (at, client) =>
        everyOtherFails && client === 'agent' ? down(at) : up(at, { client }),
      )
    expect(history(week(T0, false)).trend.direction).toBe('stable')
    expect(history([...week(T0, false), ...week(T0 + 7 * DAY, true)]).trend.direction).toBe('degrading')
    expect(history([...week(T0, true), ...week(T0 + 7 * DAY, false)]).trend.direction).toBe('improving')
  })
})
