import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { addProbes, type History, toHistory } from './history.ts'
import { LIMITS } from './spec.ts'
import { B, series, T0, up } from './testing/facts.ts'
import { KINDS, toObservations } from './testing/histories.ts'

const SECOND = 1000

const phase = fc.record({
  kind: fc.constantFrom(...KINDS),
  observations: fc.integer({ min: 1, max: 30 }),
  everyMs: fc.constantFrom(20 * SECOND, 10 * MINUTE, DAY / 8),
  pauseMs: fc.constantFrom(MINUTE, DAY, 40 * DAY),
  purpose: fc.constantFrom('scheduled' as const, 'mixed' as const),
  order: fc.constantFrom('inTurn' as const, 'one' as const, 'random' as const),
  seed: fc.nat(500),
})

/** Selects the fields that a judgement reads. */
const read = ({ observations, probes, seen, comparison, past }: History) => ({
  observations,
  probes,
  seen,
  comparison,
  past,
})

describe('addProbes', () => {
  test('default: gives the history of all probes, wherever it is cut', () => {
    const phases = fc.array(phase, { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(
        phases,
        fc.boolean(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (drawn, isWhole, share) => {
          const all = toObservations(drawn)
          const first = Math.floor(all.length * share)
          const stored = { observations: all.slice(0, first), isWhole, changes: [] }
          let history = toHistory(stored, (all[first - 1]?.at ?? T0) + SECOND)
          for (let place = first; place < all.length; place += 3) {
            const found = all.slice(place, place + 3)
            const now = (found.at(-1)?.at ?? T0) + MINUTE
            history = addProbes(history, found, now)
            const whole = toHistory({ ...stored, observations: all.slice(0, place + 3) }, now)
            expect(read(history)).toEqual(read(whole))
          }
        },
      ),
    )
  })

  test('behavior: time that passes alone ends what has expired', () => {
    const observations = toObservations([
      {
        kind: 'rotates',
        observations: 20,
        everyMs: 20 * SECOND,
        pauseMs: 0,
        purpose: 'scheduled',
        order: 'one',
        seed: 1,
      },
    ])
    const stored = { observations, isWhole: true, changes: [] }
    const end = observations.at(-1)?.at ?? T0
    const history = toHistory(stored, end)
    expect(history.comparison.rotation).not.toBe(null)
    for (const days of [29, 31, 91]) {
      const now = end + days * DAY
      expect(read(addProbes(history, [], now))).toEqual(read(toHistory(stored, now)))
    }
    expect(addProbes(history, [], end + 31 * DAY).comparison.rotation).toBe(null)
  })
})

describe('toHistory', () => {
  test('behavior: bought live checks displace no scheduled probe', () => {
    const scheduled = series(T0, 100, 3 * HOUR)
    const from = T0 + 300 * HOUR
    const live = series(from, 5_000, MINUTE, (at) => up(at, { purpose: 'live', payTo: B }))
    const now = from + 5_000 * MINUTE
    const { observations } = toHistory(
      { observations: [...scheduled, ...live], isWhole: true, changes: [] },
      now,
    )
    const idsOf = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id)
    expect(idsOf(observations)).toEqual(idsOf([...scheduled, ...live.slice(-LIMITS.keptLiveProbes)]))
  })

  test('behavior: the newest 2,000 probes of the schedule are kept, however few live checks there are', () => {
    const scheduled = series(T0, 2_100, MINUTE)
    const live = series(T0 + 1, 50, MINUTE, (at) => up(at, { purpose: 'live' }))
    const all = [...scheduled, ...live].sort((a, b) => a.at - b.at)
    const { observations } = toHistory({ observations: all, isWhole: true, changes: [] }, T0 + DAY * 2)
    expect(observations.filter(({ purpose }) => purpose === 'live')).toHaveLength(50)
    expect(observations.filter(({ purpose }) => purpose !== 'live')).toHaveLength(LIMITS.keptProbes)
    expect(observations.at(-1)?.id).toBe(scheduled.at(-1)?.id)
  })
})
