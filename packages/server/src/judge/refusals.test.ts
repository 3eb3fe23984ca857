import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldDays } from '../facts/dailyMeasurements.ts'
import type { Observation } from '../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { settleRefusals } from './refusals.ts'
import { down, judge, series, T0, unmeasured, up } from './testing/facts.ts'

const request = 'req_1'
const before = series(T0, 9, 3 * HOUR, (at, client) => up(at, { client, request }))
const end = T0 + DAY
/** Refusals from a day on, by two clients in turn. */
const refusals = (
  status: number,
  changes: Partial<Observation> = {},
  { count = 4, everyMs = 12 * MINUTE, from = end + 3 * HOUR } = {},
) =>
  series(from, count, everyMs, (at, client) =>
    unmeasured(at, { cause: 'input_needed', httpStatus: status, request, client, ...changes }),
  )
const outcome = (probes: readonly Observation[], now?: number) => {
  const { state, changes } = judge([...before, ...probes], now === undefined ? {} : { now })
  const { status, verdict, score, doubtful } = state
  const dark = changes.some(({ kind }) => kind === 'service_gone_dark')
  return { status, verdict, score, doubtful, dark }
}
const DARK = { status: 'dark', verdict: 'avoid', score: 0, doubtful: false, dark: true }

describe('removed routes', () => {
  test('default', () => {
    for (const status of [404, 410]) {
      expect(outcome(refusals(status))).toEqual(DARK)
      // Two probes, or three within half an hour, are not enough.
      expect(outcome(refusals(status, {}, { count: 2 }))).toMatchObject({ status: 'live', verdict: 'safe' })
      expect(outcome(refusals(status, {}, { count: 3, everyMs: 10 * MINUTE }))).toMatchObject({ dark: false })
    }
  })

  test('behavior: one client identity alone, another method or another input removes nothing', () => {
    for (const changes of [{ client: 'agent' }, { method: 'POST' }, { request: 'req_2' }])
      expect(outcome(refusals(404, changes, { count: 9 }))).toMatchObject({ status: 'live', dark: false })
    const unknown = [...before, ...refusals(404)].map(({ request: _, ...probe }) => probe)
    expect(judge(unknown).state).toMatchObject({ status: 'live', uptime: { down: 0 } })
  })

  test('behavior: a declared request that finds nothing needs two client identities too', () => {
    const declared = { outcome: 'down', cause: 'not_found' } as const
    expect(outcome(refusals(404, { ...declared, client: 'agent' }))).toMatchObject({ dark: false })
    expect(outcome(refusals(404, declared))).toEqual(DARK)
  })

  test('behavior: a route that stays removed stays avoid, and counts as down in uptime', () => {
    const gone = [...refusals(404), ...refusals(404, {}, { from: end + DAY, count: 5, everyMs: DAY })]
    expect(outcome(gone, end + 6 * DAY)).toEqual(DARK)
    const { uptime } = judge([...before, ...gone]).state
    expect(uptime).toMatchObject({ up: 9, down: 9 })
    expect(
      outcome([...gone, up(end + 7 * DAY, { request }), up(end + 7 * DAY + MINUTE, { request })]),
    ).toMatchObject({
      status: 'live',
    })
  })

  test('behavior: refused input counts once the documents were read again and directories had their time', () => {
    const late = { from: end + 13 * HOUR }
    for (const status of [400, 405, 415, 422]) {
      expect(outcome(refusals(status, { reread: true }, late))).toEqual(DARK)
      expect(outcome(refusals(status, { reread: true }))).toMatchObject({ verdict: 'caution', dark: false })
      expect(outcome(refusals(status, {}, late))).toMatchObject({ verdict: 'caution', dark: false })
    }
  })

  test('behavior: an endpoint that never answered by an undeclared input stays unknown', () => {
    const probes = refusals(400, {}, { count: 9 })
    expect(judge(probes).state).toMatchObject({ status: 'unmeasured', verdict: 'unknown', score: null })
    const missing = refusals(404, {}, { count: 9 })
    expect(judge(missing).state).toMatchObject({ status: 'unmeasured', verdict: 'unknown' })
  })
})

describe('settleRefusals', () => {
  test('default: a removed route counts as down on its day', () => {
    const days = foldDays(settleRefusals([...before, ...refusals(404)]))
    expect(days.map(({ up, down, notMeasured }) => [up, down, notMeasured])).toEqual([
      [8, 0, 0],
      [1, 4, 0],
    ])
    expect(foldDays(settleRefusals(refusals(404)))).toMatchObject([{ up: 0, down: 0, notMeasured: 4 }])
  })

  test('behavior: a route that was removed before the first probe that is read stays removed', () => {
    expect(foldDays(settleRefusals(refusals(404), true))).toMatchObject([{ down: 4, notMeasured: 0 }])
  })
})

describe('refused probes', () => {
  const blocked = (status: number, count: number, everyMs = HOUR) =>
    refusals(status, { cause: 'blocked' }, { count, everyMs })

  test('default: caution from three in a row on, unknown at 48 hours, never dark', () => {
    // 200 and 503 are those of a bot filter's page, which a seller could show to hide an outage.
    for (const status of [401, 403, 429, 200, 503]) {
      expect(outcome(blocked(status, 2))).toMatchObject({ verdict: 'safe', doubtful: false })
      expect(outcome(blocked(status, 3))).toMatchObject({
        verdict: 'caution',
        doubtful: true,
        status: 'live',
      })
      const lasting = blocked(status, 60)
      expect(outcome(lasting)).toMatchObject({ verdict: 'unknown', score: null, dark: false })
    }
    const { reasons } = judge([...before, ...blocked(403, 3)]).state
    expect(reasons.map(({ code, severity }) => [code, severity])).toEqual([['refused', 'warn']])
  })

  test('behavior: pages of a bot filter neither end an outage nor hide one for longer than two days', () => {
    const failed = series(end, 3, 20 * MINUTE, (at, client) => down(at, { client }))
    expect(outcome([...failed, ...blocked(503, 3)])).toMatchObject({ status: 'dark', verdict: 'avoid' })
    expect(outcome(blocked(503, 60))).toMatchObject({ verdict: 'unknown', score: null })
  })

  test('behavior: one answer ends the row; live checks and our own faults are not part of it', () => {
    const later = end + 10 * HOUR
    const answered = [
      ...blocked(403, 3),
      up(later),
      ...refusals(403, { cause: 'blocked' }, { from: later + 1, count: 2 }),
    ]
    expect(outcome(answered)).toMatchObject({ verdict: 'safe', doubtful: false })
    const live = refusals(429, { cause: 'blocked', purpose: 'live' }, { count: 9 })
    expect(outcome(live)).toMatchObject({ verdict: 'safe', doubtful: false })
    const own = refusals(403, { cause: 'own_fault', httpStatus: null }, { count: 9 })
    expect(outcome(own)).toMatchObject({ verdict: 'safe', doubtful: false })
    expect(outcome([...blocked(403, 3), ...own.map((probe) => ({ ...probe, at: later }))])).toMatchObject({
      doubtful: true,
    })
  })

  test('behavior: answers in a form that cannot be read count as refused', () => {
    const unread = { cause: 'unsupported', problems: ['network_unknown'] } as const
    expect(outcome(refusals(402, unread, { count: 2 }))).toMatchObject({ verdict: 'safe' })
    expect(outcome(refusals(402, unread, { count: 3 }))).toMatchObject({ verdict: 'caution', doubtful: true })
    const { state } = judge([...before, ...refusals(402, unread, { count: 3 })])
    expect(state.reasons.map(({ code }) => code)).toEqual(['refused', 'network_unknown'])
  })

  test('behavior: no row of 401, 403 and 429 is ever dark, down or avoid', () => {
    const observation = fc.tuple(fc.constantFrom(401, 403, 429), fc.integer({ min: 1, max: 3000 }))
    fc.assert(
      fc.property(fc.array(observation, { maxLength: 40 }), (observations) => {
        let at = end
        const probes = observations.map(([httpStatus, minutes], index) => {
          at += minutes * MINUTE
          return unmeasured(at, { httpStatus, request, client: index % 2 === 0 ? 'agent' : 'touchstone' })
        })
        const { state } = judge([...before, ...probes])
        expect(['safe', 'caution', 'unknown']).toContain(state.verdict)
        expect(state.uptime.down).toBe(0)
        if (observations.length >= 3) expect(state.verdict).not.toBe('safe')
      }),
    )
  })

  test('behavior: an endpoint that went over to another payment protocol is never dark, and says why', () => {
    const other = { cause: 'unsupported', problems: ['protocol_other'] } as const
    const probes = refusals(402, other, { count: 9, everyMs: HOUR })
    expect(outcome(probes)).toMatchObject({ status: 'live', verdict: 'caution', dark: false })
    expect(judge([...before, ...probes]).state.reasons.map(({ code }) => code)).toEqual([
      'refused',
      'protocol_other',
    ])
    const { state } = judge(probes)
    expect(state).toMatchObject({ status: 'unmeasured', verdict: 'unknown', score: null })
    expect(state.reasons).toMatchObject([{ code: 'protocol_other', evidence: [probes.at(-1)?.id] }])
  })

  test('behavior: a failure before the refusals keeps its own finding', () => {
    const probes = [down(end + 2 * HOUR), ...blocked(403, 3)]
    expect(judge([...before, ...probes]).state).toMatchObject({ verdict: 'caution', degraded: true })
  })
})
