import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasTerms } from '../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { compareProbes } from './clients.ts'
import { INTERVALS, nextProbeAt, type ScheduleInput } from './schedule.ts'
import { trackStatus } from './status.ts'
import { toSeen } from './terms.ts'
import { B, down, series, T0, unmeasured, up } from './testing/facts.ts'

/** Returns the time to the next probe. */
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
    random: 0,
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
    expect(wait(steady, { random: 1 })).toBe(3.3 * HOUR)
    expect(wait(steady, { lastChangeAt: T0 + 80 * HOUR })).toBe(INTERVALS.changed)
  })

  test('behavior: follows up doubts within minutes', () => {
    expect(wait([...steady, down(end)])).toBe(INTERVALS.confirm)
    expect(wait([...steady, up(end, { payTo: B })])).toBe(INTERVALS.difference)
    expect(wait([...steady, up(end, { payTo: B })], { isDifferent: false })).toBe(INTERVALS.steady)
    expect(wait(steady, { isDifferent: true })).toBe(INTERVALS.difference)
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

  test('behavior: probes a live endpoint within a day in any case', () => {
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
        const delay = wait(probes, { random: 1 })
        expect(delay).toBeGreaterThanOrEqual(MINUTE)
        expect(delay).toBeLessThanOrEqual(1.1 * DAY)
        if (trackStatus(probes).status === 'live') expect(delay).toBeLessThanOrEqual(DAY)
      }),
    )
  })
})
