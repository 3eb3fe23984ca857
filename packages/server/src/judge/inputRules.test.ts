import { describe, expect, test } from 'vitest'
import type { Observation } from '../facts/facts.ts'
import { DAY, HOUR, MINUTE } from '../facts/times.ts'
import { A, B, judge, series, T0, up } from './testing/facts.ts'
import { messageOf } from './testing/rules.ts'

type Seen = Parameters<typeof up>[1]
type Input = NonNullable<Observation['input']>
const USUAL = { request: 'req_usual' } as const
const steady = series(T0, 21, 3 * HOUR, (at, client) => up(at, { client, ...USUAL }))
const end = T0 + 63 * HOUR

/** Probes of two clients, each with the usual input and another. */
const pairs = (input: Input, other: Seen, at = end): Observation[] =>
  ['1', '4'].flatMap((client, place) => [
    up(at + place * 2000, { client, ...USUAL }),
    up(at + place * 2000 + 1000, {
      client,
      request: `req_${input}`,
      purpose: 'confirm',
      input,
      ...other,
    }),
  ])

/** Probes in turn by two clients, minutes apart. */
const inTurn = (count: number, answer: (place: number) => Seen) =>
  Array.from({ length: count }, (_, place) =>
    up(end + place * 2 * MINUTE, { client: place % 2 === 0 ? '1' : '4', ...USUAL, ...answer(place) }),
  )

describe('score 1.3.0, rule 6', () => {
  const changed = (count: number) => {
    const before = Array.from({ length: 21 }, (_, place) =>
      up(T0 + place * 3 * HOUR, { ...USUAL, client: String(place % 7) }),
    )
    const after = Array.from({ length: count }, (_, place) =>
      up(end + place * 3 * MINUTE, { ...USUAL, client: String(place % 3), amount: '20000' }),
    )
    const { state } = judge([...before, ...after], { random: 0.9 })
    return { ...state, minutes: (state.nextProbeAt - (after.at(-1)?.at ?? 0)) / MINUTE }
  }

  test('behavior: a new price that three clients saw is no open question, however many clients there are', () => {
    expect(changed(1).minutes).toBeLessThan(5)
    const closed = changed(3)
    expect(closed).toMatchObject({ verdict: 'safe', flags: [] })
    expect(closed.minutes).toBeGreaterThan(10)
  })

  test('behavior: a client that is shown another receiver keeps the question open until it is cloaked', () => {
    const { state } = judge([...steady, ...inTurn(3, (place) => (place % 2 === 1 ? { payTo: B } : {}))])
    expect((state.nextProbeAt - (end + 4 * MINUTE)) / MINUTE).toBeLessThan(5)
    const found = judge([...steady, ...inTurn(6, (place) => (place % 2 === 1 ? { payTo: B } : {}))])
    expect(found.state).toMatchObject({ verdict: 'avoid', flags: expect.arrayContaining(['cloaked']) })
  })
})

describe('score 1.3.0, rule 7', () => {
  test('default: terms that differ by client for equal input are cloaked', () => {
    const probes = inTurn(6, (place) => (place % 2 === 1 ? { amount: '50000' } : {}))
    expect(judge([...steady, ...probes]).state.flags).toContain('cloaked')
  })

  test('behavior: the same terms for different requests are not cloaked', () => {
    // A seller whose price follows its sample, which its document changes each time.
    const probes = inTurn(6, (place) => (place % 2 === 1 ? { amount: '20000', request: 'req_other' } : {}))
    expect(judge([...steady, ...probes]).state.flags).not.toContain('cloaked')
  })

  test('behavior: probes that did not record their request are compared with one another', () => {
    const old = inTurn(6, (place) => (place % 2 === 1 ? { payTo: B } : {}))
    const without = [...steady, ...old].map(({ request: _, ...probe }) => probe)
    expect(judge(without).state.flags).toContain('cloaked')
  })

  test('behavior: a thief that changes its sample with each reading is cloaked by the probes that follow', () => {
    // Abuse: no two scheduled probes are equal, but those that close the question are.
    const scheduled = series(T0, 10, 3 * HOUR, (at, client) => up(at, { client, request: `req_${at}` }))
    const thief = inTurn(6, (place) => ({
      request: 'req_last',
      ...(place % 2 === 1 && { payTo: B }),
    }))
    expect(judge([...scheduled, ...thief.slice(0, 1)]).state.flags).toEqual([])
    const state = judge([...scheduled, ...thief]).state
    expect(state).toMatchObject({ verdict: 'avoid', flags: expect.arrayContaining(['cloaked']) })
  })

  test('behavior: a finding of a request that is no longer sent ends after 7 days', () => {
    const found = inTurn(6, (place) => (place % 2 === 1 ? { payTo: B } : {}))
    const later = series(end + HOUR, 60, 4 * HOUR, (at, client) => up(at, { client, request: 'req_new' }))
    const flags = judge([...steady, ...found, ...later]).state.flags
    expect(flags).not.toContain('cloaked')
  })

  test('behavior: a marketplace that pays by creator is Caution, never Avoid, and the usual receiver stays signed', () => {
    const twice = [...pairs('declared', { payTo: B }), ...pairs('declared', { payTo: B }, end + DAY)]
    const { state, incidents } = judge([...steady, ...twice])
    expect(state).toMatchObject({ verdict: 'caution', flags: ['terms_follow_input'], payTo: A })
    expect([state.terms.map(({ payTo }) => payTo), incidents]).toEqual([[A], []])
  })

  test('behavior: a price that follows a declared size is the same', () => {
    const { state } = judge([...steady, ...pairs('declared', { amount: '400000' })])
    expect(state).toMatchObject({ verdict: 'caution', flags: ['terms_follow_input'], amountAtomic: '10000' })
  })

  test('behavior: a thief that shows its terms for one declared value alone is found, and they are not signed', () => {
    const { state } = judge([...steady, ...pairs('declared', { payTo: B, amount: '900000' })])
    expect(state.verdict).toBe('caution')
    expect(state.terms.map(({ payTo, amountAtomicMax }) => [payTo, amountAtomicMax])).toEqual([[A, '10000']])
  })

  test.each(['bare', 'generated'] as const)(
    'behavior: terms that follow undeclared input (%s) are a price that varies',
    (input) => {
      for (const other of [{ payTo: B }, { amount: '20000' }]) {
        const { state } = judge([...steady, ...pairs(input, other)])
        expect(state).toMatchObject({ verdict: 'caution', flags: ['price_varies'] })
        expect(state.terms.map(({ payTo }) => payTo)).toEqual([A])
        const which = input === 'bare' ? 'without input' : 'for a value that we generated'
        expect(messageOf(state, 'price_varies')).toContain(`${which}, for two clients each. Clears when`)
      }
    },
  )

  test('behavior: a seller whose terms are the same for every input keeps Safe', () => {
    const all = (['declared', 'generated', 'bare'] as const).flatMap((input, place) =>
      pairs(input, {}, end + place * HOUR),
    )
    expect(judge([...steady, ...all]).state).toMatchObject({ verdict: 'safe', flags: [] })
  })

  test('behavior: both are said of a seller that follows declared and undeclared input', () => {
    const all = [...pairs('declared', { payTo: B }), ...pairs('bare', { payTo: B }, end + HOUR)]
    expect(judge([...steady, ...all]).state.flags).toEqual(['price_varies', 'terms_follow_input'])
  })
})
