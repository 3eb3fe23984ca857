import { expect, test } from 'vitest'
import type { Observation } from '../facts/facts.ts'
import { DAY, HOUR } from '../facts/times.ts'
import { A, B, C, judge, series, T0, up } from './testing/facts.ts'

const OTHER = { request: 'req_other', purpose: 'confirm', input: 'declared' } as const
type Seen = Parameters<typeof up>[1]

/** A probe with the usual input, and one with other input beside it. */
const pair = (at: number, client: string, other: Seen, usual: Seen = {}): Observation[] => [
  up(at, { client, request: 'req_usual', ...usual }),
  up(at + 1000, { client, ...OTHER, ...other }),
]

const steady = series(T0, 20, 3 * HOUR, (at, client) => up(at, { client, request: 'req_usual' }))
const end = T0 + 60 * HOUR
const flagsOf = (observations: readonly Observation[], more = {}) => judge(observations, more).state.flags

test('default: a receiver that follows the input, for two clients each, is medium', () => {
  const probes = [...steady, ...pair(end, '1', { payTo: B }), ...pair(end + 2000, '4', { payTo: B })]
  const { state } = judge(probes)
  expect(state).toMatchObject({ verdict: 'caution', riskLevel: 'medium', flags: ['terms_follow_input'] })
  // The signed terms stay those of the usual input.
  expect(state.terms.map(({ payTo }) => payTo)).toEqual([A])
  expect(state.reasons[0]?.message).toMatch(/Clears when two clients get the same terms for both inputs/)
})

test('behavior: a price that follows the input is medium too', () => {
  const other = { amount: '500000' }
  expect(flagsOf([...steady, ...pair(end, '1', other), ...pair(end + 2000, '4', other)])).toEqual([
    'terms_follow_input',
  ])
})

test('behavior: terms of other input change no epoch, no receiver and no price', () => {
  const pairs = Array.from({ length: 12 }, (_, index) =>
    pair(end + index * HOUR, index % 2 === 0 ? '1' : '4', { payTo: B, amount: '900000' }),
  )
  const { state, changes, incidents } = judge([...steady, ...pairs.flat()])
  expect(state).toMatchObject({ payTo: A, amountAtomic: '10000', receiverStability: 'stable' })
  expect(state.flags).toEqual(['terms_follow_input'])
  expect([changes.map(({ kind }) => kind), incidents]).toEqual([['new_service'], []])
})

test('behavior: one client alone proves nothing, nor do two that saw different terms', () => {
  const once = [...pair(end, '1', { payTo: B }), ...pair(end + 2000, '1', { payTo: B })]
  expect(flagsOf([...steady, ...once])).toEqual([])
  const differing = [...pair(end, '1', { payTo: B }), ...pair(end + 2000, '4', { payTo: C })]
  expect(flagsOf([...steady, ...differing])).toEqual([])
})

test('behavior: an honest change of price between two inputs is no dependence on the input', () => {
  // Both inputs ask the new price once the usual one does.
  const cheap = [...pair(end, '1', {}), ...pair(end + 2000, '4', {})]
  const dear = { amount: '20000' }
  const later = [...pair(end + DAY, '1', dear, dear), ...pair(end + DAY + 2000, '4', dear, dear)]
  expect(flagsOf([...steady, ...cheap, ...later])).not.toContain('terms_follow_input')
})

test('behavior: clears when two clients get the same terms for both inputs, and after 30 days', () => {
  const probes = [...steady, ...pair(end, '1', { payTo: B }), ...pair(end + 2000, '4', { payTo: B })]
  const mended = [...probes, ...pair(end + DAY, '1', {}), ...pair(end + DAY + 2000, '4', {})]
  expect(flagsOf(mended)).toEqual([])
  expect(flagsOf(probes, { now: end + 29 * DAY })).toEqual(['terms_follow_input'])
  expect(flagsOf(probes, { now: end + 31 * DAY })).toEqual([])
})
