import { FLAGS, type Flag, INCIDENT_KINDS } from '@touchstone402/shared'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HOUR } from '../facts/times.ts'
import { bandOf, decideVerdict, riskOf, scoreEndpoint } from './score.ts'
import type { ScoreInput } from './scoreParts.ts'
import { BAND_RANGES } from './spec.ts'
import { T0 } from './testing/facts.ts'
import { allUp, anyScoreInput, conforms, scoreInput, unproven } from './testing/scoreInput.ts'

describe('scoreEndpoint', () => {
  test('default', () => {
    expect(scoreEndpoint(scoreInput({ stability: 'stable', receiver: 'established' }))).toBe(95)
    expect(scoreEndpoint(scoreInput({ stability: 'stable' }))).toBe(90)
    expect(scoreEndpoint(scoreInput({ stability: 'stable', receiver: 'dormant' }))).toBe(86)
    expect(scoreEndpoint(scoreInput())).toBe(75)
  })

  test('behavior: each factor has its points', () => {
    expect(scoreEndpoint(scoreInput({ stability: 'changed' }))).toBe(40)
    expect(scoreEndpoint(scoreInput({ stability: null }))).toBe(75)
    expect(scoreEndpoint(scoreInput({ priceJumps: 2 }))).toBe(71)
    expect(scoreEndpoint(scoreInput({ priceJumps: 50 }))).toBe(65)
    expect(scoreEndpoint(scoreInput({ conformance: { ...conforms, foreignResource: true } }))).toBe(72)
    expect(scoreEndpoint(scoreInput({ conformance: { ...conforms, undeclaredInput: true } }))).toBe(74)
    expect(scoreEndpoint(scoreInput({ conformance: { ...conforms, misplacedChallenge: true } }))).toBe(73)
    const departs = { foreignResource: true, undeclaredInput: true, misplacedChallenge: true }
    expect(scoreEndpoint(scoreInput({ conformance: departs }))).toBe(70)
    expect(scoreEndpoint(scoreInput({ proof: { ...unproven, delivered: true } }))).toBe(78)
    expect(scoreEndpoint(scoreInput({ proof: { ...unproven, signed: true } }))).toBe(77)
  })

  test('behavior: an open incident caps the score; the lowest cap applies', () => {
    const best = scoreInput({ stability: 'stable', receiver: 'established' })
    expect(scoreEndpoint({ ...best, openIncidents: ['bait_and_switch'] })).toBe(40)
    expect(scoreEndpoint({ ...best, openIncidents: ['bait_and_switch', 'receiver_hijack'] })).toBe(20)
    expect(scoreEndpoint({ ...best, openIncidents: ['receiver_hijack', 'honeypot'] })).toBe(10)
    expect(scoreEndpoint({ ...best, openIncidents: ['unverified_receiver'] })).toBe(95)
  })

  test('behavior: dark and invalid score 0, unmeasured has no score', () => {
    expect(scoreEndpoint(scoreInput({ status: 'dark' }))).toBe(0)
    expect(scoreEndpoint(scoreInput({ status: 'invalid' }))).toBe(0)
    expect(scoreEndpoint(scoreInput({ status: 'unmeasured' }))).toBeNull()
  })

  test('behavior: a score is 0 to 100 or absent for any evidence', () => {
    fc.assert(
      fc.property(anyScoreInput, (evidence) => {
        const score = scoreEndpoint(evidence)
        if (evidence.status === 'unmeasured') expect(score).toBeNull()
        else {
          expect(Number.isInteger(score)).toBe(true)
          expect(score).toBeGreaterThanOrEqual(0)
          expect(score).toBeLessThanOrEqual(100)
        }
      }),
    )
  })

  test('behavior: 100 takes proof', () => {
    const proof = { delivered: true, signed: true }
    expect(scoreEndpoint(scoreInput({ stability: 'stable', receiver: 'established', proof }))).toBe(100)
    fc.assert(
      fc.property(anyScoreInput, (evidence) => {
        const score = scoreEndpoint({ ...evidence, proof: unproven }) ?? 0
        expect(score).toBeLessThanOrEqual(95)
      }),
    )
  })

  test('behavior: better evidence never lowers a score, and a bad finding never raises it', () => {
    fc.assert(
      fc.property(anyScoreInput, fc.constantFrom(...INCIDENT_KINDS), (evidence, kind) => {
        const score = scoreEndpoint(evidence) ?? 0
        const better: Partial<ScoreInput>[] = [
          { stability: 'stable' },
          { receiver: 'established' },
          { uptime: allUp },
          { priceJumps: Math.max(0, evidence.priceJumps - 1) },
          { openIncidents: evidence.openIncidents.slice(1) },
          { conformance: conforms },
          { proof: { delivered: true, signed: true } },
        ]
        for (const change of better)
          expect(scoreEndpoint({ ...evidence, ...change }) ?? 0).toBeGreaterThanOrEqual(score)
        const worse: Partial<ScoreInput>[] = [
          { stability: 'changed' },
          { receiver: 'dormant' },
          { proof: unproven },
          { conformance: { ...evidence.conformance, foreignResource: true } },
          { priceJumps: evidence.priceJumps + 1 },
          { openIncidents: [...evidence.openIncidents, kind] },
          {
            uptime: {
              ...evidence.uptime,
              down: evidence.uptime.down + 1,
              upperBound: (evidence.uptime.upperBound ?? 100) / 2,
            },
          },
        ]
        for (const change of worse)
          expect(scoreEndpoint({ ...evidence, ...change }) ?? 0).toBeLessThanOrEqual(score)
      }),
    )
  })
})

describe('decideVerdict', () => {
  const decide = (
    status: 'live' | 'dark' | 'invalid' | 'unmeasured',
    score: number | null,
    flags: Flag[] = [],
    doubts: { receiverUnconfirmed?: boolean; doubtful?: boolean } = {},
  ) =>
    decideVerdict(
      {
        status,
        score,
        riskLevel: riskOf(flags),
        confirmedAt: T0,
        receiverUnconfirmed: false,
        doubtful: false,
        ...doubts,
      },
      T0 + HOUR,
    )

  test('default', () => {
    expect(decide('live', 95)).toBe('safe')
    expect(decide('live', 70, ['unverifiable'])).toBe('safe')
    expect(decide('live', 95, ['price_high'])).toBe('caution')
    expect(decide('live', 95, ['price_high', 'unverifiable'])).toBe('caution')
    expect(decide('live', 90, ['network_testnet'])).toBe('avoid')
    expect(decide('live', 69)).toBe('caution')
    expect(decide('live', 50)).toBe('caution')
    expect(decide('live', 49)).toBe('avoid')
    expect(decide('dark', 0)).toBe('avoid')
    expect(decide('invalid', 0)).toBe('avoid')
    expect(decide('unmeasured', null)).toBe('unknown')
  })

  test('behavior: unknown from 48 h after the last confirming probe', () => {
    const state = {
      status: 'live',
      score: 95,
      riskLevel: 'high',
      confirmedAt: T0,
      receiverUnconfirmed: false,
      doubtful: false,
    } as const
    expect(decideVerdict(state, T0 + 48 * HOUR - 1)).toBe('avoid')
    expect(decideVerdict(state, T0 + 48 * HOUR)).toBe('unknown')
    expect(decideVerdict({ ...state, confirmedAt: null }, T0)).toBe('unknown')
  })

  test.each(['receiverUnconfirmed', 'doubtful'])(
    'behavior: %s is never safe, and never improves a verdict',
    (doubt) => {
      expect(decide('live', 100, [], { [doubt]: true })).toBe('caution')
      expect(decide('live', 95, ['network_testnet'], { [doubt]: true })).toBe('avoid')
    },
  )

  test('behavior: one more flag never improves a verdict', () => {
    const order = ['safe', 'caution', 'avoid']
    const flags = fc.subarray([...FLAGS])
    fc.assert(
      fc.property(flags, fc.constantFrom(...FLAGS), fc.nat(100), (raised, flag, score) => {
        const before = order.indexOf(decide('live', score, raised))
        expect(order.indexOf(decide('live', score, [...raised, flag]))).toBeGreaterThanOrEqual(before)
      }),
    )
  })
})

describe('bandOf', () => {
  test('default', () => {
    const edges = [100, 90, 89, 75, 74, 50, 49, 25, 24, 0].map(bandOf)
    expect(edges).toEqual([
      'excellent',
      'excellent',
      'good',
      'good',
      'fair',
      'fair',
      'poor',
      'poor',
      'bad',
      'bad',
    ])
  })

  test('behavior: every score lies in exactly one band', () => {
    for (let score = 0; score <= 100; score++)
      expect(BAND_RANGES.filter(({ min, max }) => score >= min && score <= max)).toHaveLength(1)
  })
})
