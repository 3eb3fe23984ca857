import { seededRandom } from '@touchstone402/shared/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasTerms } from '../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { compareProbes } from './clients.ts'
import { DRAWN_MOST_MS, drawGap, INTERVALS, nextProbeAt, type ScheduleInput } from './schedule.ts'
import { trackStatus } from './status.ts'
import { toSeen } from './terms.ts'
import { B, down, series, T0, unmeasured, up } from './testing/facts.ts'

/** Draws a gap of the mean. */
const MEAN = 1 - 1 / Math.E

/** Returns the time to the next probe, by default the mean. */
function wait(observations: readonly ReturnType<typeof up>[], more: Partial<ScheduleInput> = {}): number {
  const now = observations.at(-1)?.at ?? T0
  const input = {
    observations: observations,
    track: trackStatus(observations),
    firstSeen: T0,
    lastChangeAt: null,
    isDifferent: compareProbes(observations.filter(hasTerms).map(toSeen), now).isOpen,
    isFlaky: false,
    now,
    random: MEAN,
    ...more,
  }
  return nextProbeAt(input) - now
}

const steady = series(T0, 30, 3 * HOUR)
const end = T0 + 90 * HOUR

describe('nextProbeAt', () => {
  test('default', () => {
    expect(wait([])).toBe(0)
    expect(wait([up(T0)])).toBe(INTERVALS.fresh)
    expect(wait(steady)).toBe(INTERVALS.steady)
    expect(wait(steady, { lastChangeAt: T0 + 80 * HOUR })).toBe(INTERVALS.changed)
  })

  test('behavior: follows up doubts within minutes', () => {
    for (const random of [0, MEAN, 0.999999]) {
      const within = (gap: number, ms: number) => gap >= ms && gap <= 1.1 * ms
      expect(wait([...steady, down(end)], { random })).toSatisfy((gap) => within(gap, INTERVALS.confirm))
      const other = [...steady, up(end, { payTo: B })]
      expect(wait(other, { random })).toSatisfy((gap) => within(gap, INTERVALS.difference))
      expect(wait(steady, { isDifferent: true, random })).toSatisfy((gap) =>
        within(gap, INTERVALS.difference),
      )
    }
    expect(wait([...steady, up(end, { payTo: B })], { isDifferent: false })).toBe(INTERVALS.steady)
  })

  test('behavior: backs off dark endpoints to once a day', () => {
    const dead = (count: number) => series(T0, count, 20 * MINUTE, (at) => down(at))
    expect([3, 4, 5, 20].map((count) => wait(dead(count)) / HOUR)).toEqual([1.5, 3, 6, 24])
  })

  test('behavior: sees within two hours that a service is back after a day, and backs off with the time dark', () => {
    const dark = (days: number) => [up(T0), ...series(T0 + HOUR, 25, days * HOUR, (at) => down(at))]
    expect([0.5, 1, 3, 10, 60].map((days) => wait(dark(days)) / HOUR)).toEqual([1.5, 1.5, 3, 10, 24])
  })

  test('behavior: backs off refusing hosts to twice a day; retries our own faults hourly', () => {
    const refused = (count: number) => [...steady, ...series(end, count, HOUR, (at) => unmeasured(at))]
    expect([1, 2, 3, 9].map((count) => wait(refused(count)) / HOUR)).toEqual([1, 2, 4, 12])
    const ours = series(end, 9, HOUR, (at) => unmeasured(at, { cause: 'own_fault', httpStatus: null }))
    expect(wait([...steady, ...ours])).toBe(INTERVALS.ownFault)
  })

  test('behavior: probes a flapping endpoint often until flaky is raised', () => {
    const flapping = [
      ...steady,
      ...[0, 1, 2].flatMap((n) => [down(end + n * HOUR), up(end + n * HOUR + MINUTE)]),
    ]
    expect(wait([...steady, down(end), up(end + MINUTE)])).toBe(INTERVALS.faulty)
    expect(wait(flapping)).toBe(INTERVALS.flapping)
    expect(wait(flapping, { isFlaky: true })).toBe(INTERVALS.changed)
  })

  test('behavior: having just been probed says nothing about the next probe', () => {
    const random = seededRandom(1)
    const gaps = Array.from({ length: 20_000 }, () => wait(steady, { random: random() }))
    const mean = (list: readonly number[]) => list.reduce((sum, gap) => sum + gap, 0) / list.length
    // The time that is left is the same however long the last probe is ago.
    for (const waited of [0, HOUR, 3 * HOUR, 6 * HOUR]) {
      const left = gaps.filter((gap) => gap > waited).map((gap) => gap - waited)
      expect(mean(left) / INTERVALS.steady).toBeGreaterThan(0.93)
      expect(mean(left) / INTERVALS.steady).toBeLessThan(1.07)
    }
    expect(Math.min(...gaps)).toBeLessThan(MINUTE)
    expect(Math.max(...gaps)).toBeGreaterThan(20 * HOUR)
  })

  test.each([
    ['a dark endpoint', [up(T0), ...series(T0 + HOUR, 25, HOUR, (at) => down(at))], INTERVALS.darkFirst],
    [
      'one that refuses',
      [...steady, ...series(end, 2, HOUR, (at) => unmeasured(at))],
      2 * INTERVALS.refusedFirst,
    ],
  ])('behavior: %s is never probed later than its interval', (_, probes, interval) => {
    for (const random of [0, 0.5, MEAN, 0.99, 0.999999999])
      expect(wait(probes, { random })).toBeLessThanOrEqual(1.1 * interval)
  })

  test('behavior: a refused input is asked again as soon as it counts as a failure', () => {
    const refused = series(end, 4, 2.5 * HOUR, (at) =>
      unmeasured(at, { cause: 'input_needed', httpStatus: 422 }),
    )
    const worked = steady.at(-1)?.at ?? 0
    const left = worked + 12 * HOUR - (refused.at(-1)?.at ?? 0)
    expect(left).toBeGreaterThan(0)
    expect(wait([...steady, ...refused], { random: 0.999 })).toBeCloseTo(left + 5000, -1)
  })

  test('behavior: an honest verdict does not expire by an unlucky draw', () => {
    expect(drawGap(INTERVALS.steady, 1 - Number.EPSILON)).toBeLessThanOrEqual(DRAWN_MOST_MS)
    expect(wait(steady, { random: 1 - Number.EPSILON })).toBeLessThan(48 * HOUR)
    const random = seededRandom(2)
    const long = Array.from({ length: 20_000 }, () => drawGap(INTERVALS.steady, random())).filter(
      (gap) => gap > DAY,
    )
    expect(long.length).toBeLessThan(20)
  })

  test('behavior: probes every endpoint before a verdict expires', () => {
    const probe = fc.tuple(
      fc.constantFrom('up', 'other', 'down', 'none'),
      fc.integer({ min: 1, max: 26 * 60 }),
      fc.boolean(),
    )
    fc.assert(
      fc.property(fc.array(probe, { minLength: 1, maxLength: 40 }), (steps) => {
        let at = T0
        const probes = steps.map(([kind, minutes, isAgent]) => {
          at += minutes * MINUTE
          const client = isAgent ? 'agent' : 'touchstone'
          if (kind === 'down') return down(at, { client })
          if (kind === 'none') return unmeasured(at, { client })
          return up(at, { client, ...(kind === 'other' && { payTo: B }) })
        })
        expect(wait(probes, { random: 0 })).toBeGreaterThanOrEqual(5_000)
        expect(wait(probes, { random: MEAN })).toBeLessThanOrEqual(DAY)
        expect(wait(probes, { random: 1 - Number.EPSILON })).toBeLessThan(48 * HOUR)
      }),
    )
  })
})
