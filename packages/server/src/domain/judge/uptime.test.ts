import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY, HOUR } from '../facts/times.ts'
import { down, series, T0, unmeasured, up } from '../testing/facts.ts'
import { betaQuantile } from './beta.ts'
import { isFlaky, measureUptime, scoreUptime } from './uptime.ts'

describe('measureUptime', () => {
  test('default', () => {
    const probes = [up(T0), up(T0), down(T0), unmeasured(T0)]
    const uptime = measureUptime(probes, T0)
    expect(uptime).toMatchObject({ up: 2, down: 1, notMeasured: 1, pct: 66.67 })
    expect(uptime.upperBound).toBeCloseTo(100 * betaQuantile(0.975, 3, 2), 1)
    expect(uptime.lowerBound).toBeCloseTo(100 * betaQuantile(0.025, 3, 2), 1)
  })

  test('behavior: below 3 probes no uptime is stated and no points are lost', () => {
    const uptime = measureUptime([down(T0), down(T0)], T0)
    expect(uptime).toMatchObject({ pct: null, lowerBound: null, upperBound: null })
    expect(scoreUptime(uptime)).toBe(0)
  })

  test('behavior: without failures no points are lost, however few or old the probes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 0, max: 29 * DAY }), (count, age) => {
        expect(scoreUptime(measureUptime(series(T0, count, 0), T0 + age))).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  test('behavior: a weight halves in 7 days and ends at 30', () => {
    const probes = [up(T0), up(T0), up(T0), down(T0)]
    const week = measureUptime(probes, T0 + 7 * DAY)
    expect(week.upperBound).toBeCloseTo(100 * betaQuantile(0.975, 2.5, 1.5), 1)
    expect(measureUptime(probes, T0 + 30 * DAY)).toMatchObject({ up: 0, down: 0, pct: null })
  })

  test('behavior: a fault and its end count once; live checks do not count', () => {
    const confirm = { purpose: 'confirm' } as const
    const probes = [
      ...series(T0, 3, HOUR),
      down(T0 + 4 * HOUR),
      down(T0 + 4 * HOUR + 1, confirm),
      down(T0 + 4 * HOUR + 2, confirm),
      up(T0 + 4 * HOUR + 3, confirm),
      up(T0 + 4 * HOUR + 4, confirm),
      up(T0 + 5 * HOUR, { purpose: 'live' }),
    ]
    expect(measureUptime(probes, T0 + 6 * HOUR)).toMatchObject({ up: 4, down: 1 })
  })

  test('behavior: costs 3 points per percentage point below 99, at most 30', () => {
    const bound = (upperBound: number) => ({
      up: 9,
      down: 1,
      notMeasured: 0,
      pct: 90,
      lowerBound: 50,
      upperBound,
    })
    expect(scoreUptime(bound(99))).toBe(0)
    expect(scoreUptime(bound(98))).toBe(-3)
    expect(scoreUptime(bound(95.5))).toBe(-11)
    expect(scoreUptime(bound(40))).toBe(-30)
  })

  test('behavior: one more up never costs, one more down never helps', () => {
    const outcomes = fc.array(fc.boolean(), { minLength: 3, maxLength: 60 })
    fc.assert(
      fc.property(outcomes, (ups) => {
        const probes = ups.map((isUp, index) => (isUp ? up(T0 + index * HOUR) : down(T0 + index * HOUR)))
        const end = T0 + ups.length * HOUR
        const score = (more: ReturnType<typeof up>[]) => scoreUptime(measureUptime([...probes, ...more], end))
        expect(score([up(end)])).toBeGreaterThanOrEqual(score([]))
        expect(score([down(end)])).toBeLessThanOrEqual(score([]))
      }),
      { numRuns: 50 },
    )
  })
})

describe('isFlaky', () => {
  test('behavior: flaky stays raised for a day after the bound was below 90 %', () => {
    const bad = [...series(T0, 4, HOUR), ...[5, 6, 7].map((hour) => down(T0 + hour * HOUR))]
    const better = [...bad, ...series(T0 + 8 * HOUR, 100, 60_000)]
    expect(isFlaky(bad, T0 + 7 * HOUR)).toBe(true)
    expect(measureUptime(better, T0 + 10 * HOUR).upperBound).toBeGreaterThan(90)
    expect(isFlaky(better, T0 + 10 * HOUR)).toBe(true)
    expect(isFlaky(better, T0 + 32 * HOUR)).toBe(false)
  })
})
