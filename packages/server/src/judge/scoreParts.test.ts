import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scoreEndpoint } from './score.ts'
import { breakDownScore, scoreInputOf, sumParts } from './scoreParts.ts'
import { FACTORS, INCIDENT_CAPS } from './spec.ts'
import { judge, T0, up } from './testing/facts.ts'
import { anyScoreInput, conforms, scoreInput, unproven } from './testing/scoreInput.ts'

const lines = (changes: Parameters<typeof scoreInput>[0]) =>
  breakDownScore(scoreInput(changes))?.map(({ factor, points, evidence }) => [factor, points, evidence])

test('default: lists every factor with its points and evidence', () => {
  const conformance = { ...conforms, undeclaredInput: true, misplacedChallenge: true }
  const proof = { ...unproven, delivered: true }
  expect(lines({ stability: 'stable', receiver: 'dormant', conformance, proof, priceJumps: 2 })).toEqual([
    ['live', 75, 'answers with a valid challenge'],
    ['stability', 15, 'stable'],
    ['receiver', -4, 'dormant'],
    ['uptime', 0, '100% in 9 probes, at best 100%'],
    ['conformance', -3, 'needs input that is not declared, challenge where stock clients do not look'],
    ['proof', 3, 'a test purchase was delivered'],
    ['priceStability', -4, '2 price jumps within 30 days'],
  ])
})

test('behavior: a cap or floor is a separate part', () => {
  const openIncidents = ['bait_and_switch', 'receiver_hijack'] as const
  expect(lines({ openIncidents })?.at(-1)).toEqual(['cap', -55, 'receiver_hijack is open: at most 20'])
  const uptime = { up: 1, down: 9, notMeasured: 0, pct: 10, lowerBound: 1, upperBound: 40 }
  const worst = { stability: 'changed', receiver: 'dormant', uptime, priceJumps: 9 } as const
  expect(lines(worst)?.at(-1)).toEqual(['floor', 4, 'never below 0'])
  // A cap above the sum has no effect.
  expect(lines({ ...worst, openIncidents })?.at(-1)).toEqual(['floor', 4, 'never below 0'])
})

test('behavior: a dark endpoint has one part, an unmeasured one none', () => {
  expect(lines({ status: 'dark' })).toEqual([['live', 0, 'dark: no valid challenge']])
  expect(breakDownScore(scoreInput({ status: 'unmeasured' }))).toBeNull()
})

test('behavior: a state of another version has no parts', () => {
  const { state } = judge([up(T0)])
  expect(sumParts(breakDownScore(scoreInputOf(state)) ?? [])).toBe(state.score)
  expect(breakDownScore(scoreInputOf({ ...state, scoreVersion: '1.0.0' }))).toBeNull()
})

test('behavior: for any evidence, the parts add up to the score and stay within their ranges', () => {
  fc.assert(
    fc.property(anyScoreInput, (evidence) => {
      const parts = breakDownScore(evidence)
      expect(parts === null ? null : sumParts(parts)).toBe(scoreEndpoint(evidence))
      for (const { points, range } of parts ?? []) {
        expect(Number.isInteger(points)).toBe(true)
        if (range === null) continue
        expect(points).toBeGreaterThanOrEqual(range.min)
        expect(points).toBeLessThanOrEqual(range.max)
      }
      if (evidence.status !== 'live') return
      const factors = (parts ?? []).filter(({ range }) => range !== null).map(({ factor }) => factor)
      expect(factors).toEqual(FACTORS.map(({ id }) => id))
      // Applying the bounds by hand gives the same score.
      const sum = sumParts((parts ?? []).filter(({ range }) => range !== null))
      const most = Math.min(100, ...evidence.openIncidents.map((kind) => INCIDENT_CAPS[kind] ?? 100))
      expect(scoreEndpoint(evidence)).toBe(Math.max(0, Math.min(most, sum)))
    }),
  )
})
