import { fuzzRuns, seededRandom } from '@touchstone402/shared/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Observation } from '../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { betaQuantile } from './beta.ts'
import { drawGap, longestIntervalMs } from './schedule.ts'
import { down, judge, series, T0, unmeasured, up } from './testing/facts.ts'
import * as uptimes from './uptime.ts'
import { isFlaky, scoreUptime } from './uptime.ts'

const sampleOf = (observations: readonly Observation[]) => uptimes.sampleUptime(observations)
const measureUptime = (observations: readonly Observation[], now: number) =>
  uptimes.measureUptime(sampleOf(observations), now)
const lowestUptime = (observations: readonly Observation[], now: number) =>
  uptimes.lowestUptime(sampleOf(observations), now)

const round2 = (value: number) => Math.round(value * 100) / 100

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
      { numRuns: fuzzRuns(0.1) },
    )
  })

  test('behavior: a weight halves in 7 days and ends at 30', () => {
    const probes = [down(T0), up(T0), up(T0), up(T0)]
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

  test('behavior: a dark service has no flattering uptime, though it is probed less often', () => {
    // Ten days up, probed every 3 h; then twenty days dark, probed as rarely as the schedule does.
    const darkFrom = T0 + 10 * DAY
    const probes = [...series(T0, 80, 3 * HOUR)]
    for (let at = darkFrom; at < T0 + 30 * DAY; at += Math.floor(longestIntervalMs(at - darkFrom)))
      probes.push(down(at))
    const uptime = measureUptime(probes, T0 + 30 * DAY - HOUR)
    expect(uptime.up / (uptime.up + uptime.down)).toBeGreaterThan(0.5)
    expect(uptime.pct).toBeGreaterThan(32)
    expect(uptime.pct).toBeLessThan(35)
    expect(scoreUptime(uptime)).toBe(-30)
    expect(isFlaky(lowestUptime(probes, T0 + 30 * DAY - HOUR))).toBe(true)
  })

  test('behavior: time does not flatter a seller that fails at random', () => {
    // A fifth of the probes fail, and each failure is followed up within minutes.
    const probes = series(T0, 40, 3 * HOUR).flatMap((probe, index) =>
      index % 5 === 0 ? [down(probe.at), up(probe.at + 8 * MINUTE)] : [probe],
    )
    expect(measureUptime(probes, T0 + 5 * DAY).pct).toBe(83.33)
  })

  test('behavior: confirming, live and unmeasured probes and our own downtime carry no time', () => {
    const probes = [...series(T0, 9, 3 * HOUR), down(T0 + 27 * HOUR), ...series(T0 + 28 * HOUR, 9, 3 * HOUR)]
    const end = T0 + 55 * HOUR
    const base = measureUptime(probes, end)
    const insert = (more: readonly Observation[]) =>
      measureUptime(
        [...probes, ...more].sort((a, b) => a.at - b.at),
        end,
      )
    expect(
      insert([up(T0 + 30 * HOUR, { purpose: 'live' }), down(T0 + 30 * HOUR + 1, { purpose: 'live' })]),
    ).toEqual(base)
    expect(insert([down(T0 + 27 * HOUR + 1, { purpose: 'confirm' })])).toEqual(base)
    // An unmeasured probe takes its share of the gap and counts for neither side.
    const blocked = insert([unmeasured(T0 + 27.5 * HOUR)])
    expect(blocked).toMatchObject({ up: base.up, down: base.down, notMeasured: 1 })
    expect(blocked.pct ?? 0).toBeGreaterThanOrEqual(base.pct ?? 0)
    // Hours or days without any probe, after a failure: the failure is charged with one interval of the schedule.
    const stopped = [...series(T0, 20, 3 * HOUR), down(T0 + 60 * HOUR)]
    const resumeAfter = (ms: number) => [...stopped, ...series(T0 + 60 * HOUR + ms, 20, 3 * HOUR)]
    for (const pauseMs of [4 * HOUR, 20 * HOUR, 60 * HOUR]) {
      const resumed = measureUptime(resumeAfter(pauseMs), T0 + 120 * HOUR + pauseMs)
      expect(resumed.pct).toBe(round2(100 - (100 * (1.5 + 1.65)) / (60 + 3.3 + 58.5)))
    }
  })

  test('behavior: a pause of ours amid an outage charges no more than the schedule of a dark endpoint', () => {
    const outage = [...series(T0, 20, 3 * HOUR), ...series(T0 + 60 * HOUR, 40, 1.5 * HOUR, (at) => down(at))]
    const at = T0 + 120 * HOUR
    const resumed = (pauseMs: number) =>
      measureUptime([...outage, ...series(at + pauseMs, 20, 3 * HOUR)], at + pauseMs + 60 * HOUR)
    expect(resumed(6 * HOUR).pct).toBe(resumed(20 * HOUR).pct)
    // Gaps that the schedule makes count: endpoints that never answered are probed once a day.
    const never = series(T0, 30, DAY, (time) => down(time))
    const begun = [...never, ...series(T0 + 30 * DAY, 80, 3 * HOUR)]
    expect(measureUptime(begun, T0 + 40 * DAY).pct).toBeLessThan(36)
  })

  test('behavior: time counts up to the drawn gap; the rest of it was our own downtime', () => {
    // Up for 60 h, then down at one probe; the next one was drawn for 10 h later.
    const stopped = [...series(T0, 20, 3 * HOUR), down(T0 + 60 * HOUR, { gapMs: 3 * HOUR })]
    const resumeAfter = (ms: number, gapMs?: number) => {
      const at = T0 + 60 * HOUR + ms
      const first = up(at, gapMs === undefined ? {} : { gapMs })
      return measureUptime([...stopped, first, ...series(at + 3 * HOUR, 19, 3 * HOUR)], at + 60 * HOUR)
    }
    const charged = (gap: number) => round2(100 - (100 * (1.5 + gap / 2)) / (60 + gap + 58.5))
    expect(resumeAfter(10 * HOUR, 10 * HOUR).pct).toBe(charged(10))
    // We came two days late.
    expect(resumeAfter(58 * HOUR, 10 * HOUR).pct).toBe(charged(10))
    // Without a recorded gap, as before 1.3.0.
    expect(resumeAfter(10 * HOUR).pct).toBe(charged(3.3))
  })

  test('behavior: drawn gaps state the uptime that there was', () => {
    // Two hours of each eight down, probed at drawn times for 30 days.
    const random = seededRandom(7)
    const probes: Observation[] = []
    for (let at = T0, gapMs = 0; at < T0 + 29 * DAY; at += gapMs) {
      probes.push((at - T0) % (8 * HOUR) < 2 * HOUR ? down(at, { gapMs }) : up(at, { gapMs }))
      gapMs = Math.round(drawGap(3 * HOUR, random()))
    }
    const { pct } = measureUptime(probes, T0 + 29 * DAY)
    expect(pct).toBeGreaterThan(68)
    expect(pct).toBeLessThan(79)
  })

  test('behavior: confirming probes show that the crawl ran', () => {
    const confirms = series(T0 + 9 * HOUR, 60, 8 * MINUTE, (time) => down(time, { purpose: 'confirm' }))
    const probes = [...series(T0, 3, 3 * HOUR), down(T0 + 9 * HOUR), ...series(T0 + 20 * HOUR, 9, 3 * HOUR)]
    const watched = [...probes, ...confirms].sort((a, b) => a.at - b.at)
    const [seen, unseen] = [watched, probes].map(
      (observations) => measureUptime(observations, T0 + 47 * HOUR).pct ?? 0,
    )
    expect(seen).toBeLessThan(unseen ?? 0)
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
    // Hours since the probe before; over 3.3 we may have been down ourselves.
    const observations = fc.array(fc.tuple(fc.boolean(), fc.double({ min: 0.05, max: 40, noNaN: true })), {
      minLength: 3,
      maxLength: 60,
    })
    fc.assert(
      fc.property(observations, (steps) => {
        let end = T0
        const probes = steps.map(([isUp, hours]) => {
          const at = end
          end += Math.round(hours * HOUR)
          return isUp ? up(at) : down(at)
        })
        const score = (more: ReturnType<typeof up>[]) => scoreUptime(measureUptime([...probes, ...more], end))
        expect(score([up(end)])).toBeGreaterThanOrEqual(score([]))
        expect(score([down(end)])).toBeLessThanOrEqual(score([]))
        // Neither measure alone may look better than what is stated.
        const { pct, up: ups, down: downs } = measureUptime(probes, end)
        if (pct !== null) expect(pct).toBeLessThanOrEqual((100 * ups) / (ups + downs) + 0.01)
      }),
      { numRuns: fuzzRuns(0.5) },
    )
  })
})

describe('isFlaky', () => {
  test('behavior: a score that failures brought below 70 keeps its caution for a day', () => {
    // Every fifth probe of 30 fails, which is not flaky yet.
    const probes = series(T0, 30, HOUR).map((probe, index) => (index % 5 === 4 ? down(probe.at) : probe))
    const poor = judge(probes).state
    expect(poor).toMatchObject({ verdict: 'caution', flags: [] })
    expect(poor.score).toBeLessThan(70)
    const after = [...probes, ...series(T0 + 30 * HOUR, 30, 15 * MINUTE)]
    const { state } = judge(after)
    expect(state).toMatchObject({ verdict: 'caution', flags: [], doubtful: true })
    expect(state.score).toBeGreaterThanOrEqual(70)
    expect(state.reasons.map(({ code }) => code)).toEqual(['score_recovering'])
    const later = [...after, ...series(T0 + 38 * HOUR, 6, 3 * HOUR)]
    expect(judge(later).state).toMatchObject({ verdict: 'safe', doubtful: false })
  })

  test('behavior: flaky stays raised for a day after the bound was below 90 %', () => {
    const bad = [...series(T0, 4, HOUR), ...[5, 6, 7].map((hour) => down(T0 + hour * HOUR))]
    const better = [...bad, ...series(T0 + 8 * HOUR, 100, 60_000)]
    expect(isFlaky(lowestUptime(bad, T0 + 7 * HOUR))).toBe(true)
    expect(measureUptime(better, T0 + 10 * HOUR).upperBound).toBeGreaterThan(90)
    expect(isFlaky(lowestUptime(better, T0 + 10 * HOUR))).toBe(true)
    expect(isFlaky(lowestUptime(better, T0 + 32 * HOUR))).toBe(false)
  })
})
