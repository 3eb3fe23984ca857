import { SignedDecisionSchema } from '@touchstone402/shared'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readDecision12 } from '../testing/readDecision12.ts'
import { readDecision } from './signedVerdict.ts'

const DECISION = {
  iss: 'https://touchstone.example',
  endpoint: 'https://api.example.com/weather',
  verdict: 'safe',
  score: 93,
  riskLevel: 'low',
  flags: ['unverifiable', 'a_flag_of_later'],
  terms: [
    {
      x402Version: 2,
      scheme: 'exact',
      network: 'eip155:8453',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      amountAtomicMin: '10000',
      amountAtomicMax: '12000',
      method: 'GET',
    },
  ],
  resourceHosts: ['www.example.com'],
  receiverStability: 'stable',
  probes: 12,
  delivery: { status: 'delivered', month: '2026-02', paidUsd: 0.01, reason: null },
  checkedAt: '2026-02-28T12:00:00.000Z',
  expiresAt: '2026-03-01T12:00:00.000Z',
  seq: 1_772_000_000_000,
  scoreVersion: '1.1.0',
}

const VALUES = [
  ...[undefined, null, '', '0', '01', '-1', 0, 1, 3, 100, 101, -1, 1.5, 2 ** 53, true, [], {}, ['a'], [1]],
  ...[
    '2026-02-30T12:00:00.000Z',
    '2026-02-28T12:00:00Z',
    '2026-02-28T12:00Z',
    '2026-02-28',
    '2026-02-28T24:00:00Z',
  ],
  ...['2026-02-28T12:00:00.000+01:00', '2026-13-01T12:00:00Z', 'safe', 'good', 'new', 'high', 'clean'],
]

const accepts = (value: unknown) => SignedDecisionSchema.safeParse(value).success

test('default', () => {
  expect(readDecision(DECISION)).toEqual(DECISION)
  expect(readDecision({ ...DECISION, more: 1 })).toEqual(SignedDecisionSchema.parse({ ...DECISION, more: 1 }))
})

test.each(Object.keys(DECISION))('behavior: %s is read as by the schema of the contract', (name) => {
  for (const value of VALUES) {
    const changed = { ...DECISION, [name]: value }
    expect([value, readDecision(changed) !== null]).toEqual([value, accepts(changed)])
  }
})

test.each(Object.keys(DECISION.delivery))('behavior: %s of a delivery is read as by the schema', (name) => {
  for (const value of VALUES) {
    const changed = { ...DECISION, delivery: { ...DECISION.delivery, [name]: value } }
    expect([value, readDecision(changed) !== null]).toEqual([value, accepts(changed)])
  }
})

test('behavior: an older guard reads a decision that states a delivery, and ignores it', () => {
  const { delivery: _, ...older } = DECISION
  expect(readDecision12(DECISION)).toEqual(older)
})

test.each(Object.keys(DECISION.terms[0] ?? {}))('behavior: %s of a term is read as by the schema', (name) => {
  for (const value of VALUES) {
    const changed = { ...DECISION, terms: [{ ...DECISION.terms[0], [name]: value }] }
    expect([value, readDecision(changed) !== null]).toEqual([value, accepts(changed)])
  }
})

test('behavior: any JSON is read as by the schema', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(DECISION)), (value, name) => {
      const changed = { ...DECISION, [name]: value }
      expect(readDecision(changed) !== null).toBe(accepts(changed))
      expect(readDecision(value) !== null).toBe(accepts(value))
    }),
  )
})
