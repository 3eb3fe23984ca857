import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MINUTE } from '../facts/times.ts'
import { trackStatus } from './status.ts'
import { down, T0, unmeasured, up } from './testing/facts.ts'

const at = (minutes: number) => T0 + minutes * MINUTE
const page = { cause: 'not_paid', httpStatus: 200 } as const

describe('trackStatus', () => {
  test('default', () => {
    const probes = [up(at(0)), down(at(60)), down(at(75)), down(at(90)), up(at(150)), up(at(158))]
    const track = trackStatus(probes)
    expect(track).toMatchObject({ status: 'live', degraded: false, downs: 0, confirmedAt: at(158) })
    expect(track.turns).toMatchObject([
      { kind: 'gone_dark', at: at(90), before: 'live', after: 'dark' },
      { kind: 'recovered', at: at(158), before: 'dark', after: 'live' },
    ])
  })

  test('behavior: one failed probe does not change the status', () => {
    expect(trackStatus([up(at(0)), down(at(60))])).toMatchObject({
      status: 'live',
      degraded: true,
      confirmedAt: at(0),
    })
    expect(trackStatus([down(at(0))])).toMatchObject({ status: 'unmeasured', degraded: true })
  })

  test('behavior: dark takes three downs over at least half an hour', () => {
    const quick = [up(at(0)), down(at(1)), down(at(10)), down(at(30.9))]
    expect(trackStatus(quick).status).toBe('live')
    expect(trackStatus([...quick, down(at(31))]).status).toBe('dark')
    expect(trackStatus([up(at(0)), down(at(1)), down(at(1440))]).status).toBe('live')
  })

  test('behavior: an answer without a valid challenge is invalid, not dark', () => {
    const probes = [up(at(0)), ...[60, 75, 90].map((minutes) => down(at(minutes), page))]
    expect(trackStatus(probes).status).toBe('invalid')
    expect(trackStatus([...probes, down(at(200))]).status).toBe('dark')
  })

  test('behavior: recovery takes two ups, and an endpoint that was never live does not recover', () => {
    const dead = [0, 15, 30].map((minutes) => down(at(minutes)))
    expect(trackStatus([...dead, up(at(60))])).toMatchObject({ status: 'dark', degraded: true })
    expect(trackStatus([...dead, up(at(60)), up(at(68))])).toMatchObject({ status: 'live', turns: [] })
  })

  test('behavior: not_measured changes nothing', () => {
    const probe = fc.tuple(fc.constantFrom('up', 'down', 'none'), fc.integer({ min: 1, max: 40 }))
    fc.assert(
      fc.property(fc.array(probe, { maxLength: 30 }), (steps) => {
        let minutes = 0
        const probes = steps.map(([kind, step]) => {
          minutes += step
          return kind === 'up'
            ? up(at(minutes))
            : kind === 'down'
              ? down(at(minutes))
              : unmeasured(at(minutes))
        })
        const measured = probes.filter(({ outcome }) => outcome !== 'not_measured')
        expect(trackStatus(probes)).toEqual(trackStatus(measured))
      }),
    )
  })

  test('behavior: an unconfirmed down does not extend a live status', () => {
    const probes = [up(at(0)), down(at(2000)), unmeasured(at(2010))]
    expect(trackStatus(probes).confirmedAt).toBe(at(0))
  })
})
