import { INCIDENT_KINDS, STATUSES } from '@touchstone402/shared'
import fc from 'fast-check'
import type { ScoreInput } from '../scoreParts.ts'

/** Nine probes, all up. */
export const allUp = { up: 9, down: 0, notMeasured: 0, pct: 100, lowerBound: 70, upperBound: 100 }

/** A challenge that follows the protocol. */
export const conforms = { foreignResource: false, undeclaredInput: false, misplacedChallenge: false }

/** No proof. */
export const unproven = { delivered: false, signed: false }

/** Creates the evidence of a live endpoint with no other findings. */
export const scoreInput = (changes: Partial<ScoreInput> = {}): ScoreInput => ({
  status: 'live',
  stability: 'new',
  receiver: null,
  uptime: allUp,
  conformance: conforms,
  proof: unproven,
  priceJumps: 0,
  openIncidents: [],
  ...changes,
})

/** Generates arbitrary evidence. */
export const anyScoreInput: fc.Arbitrary<ScoreInput> = fc.record({
  status: fc.constantFrom(...STATUSES),
  stability: fc.constantFrom('new' as const, 'stable' as const, 'changed' as const, null),
  receiver: fc.constantFrom('established' as const, 'dormant' as const, null),
  uptime: fc
    .record({ down: fc.nat(40), upperBound: fc.double({ min: 0, max: 100, noNaN: true }) })
    .map((bounds) => ({ ...allUp, ...bounds })),
  conformance: fc.record({
    foreignResource: fc.boolean(),
    undeclaredInput: fc.boolean(),
    misplacedChallenge: fc.boolean(),
  }),
  proof: fc.record({ delivered: fc.boolean(), signed: fc.boolean() }),
  priceJumps: fc.nat(20),
  openIncidents: fc.subarray([...INCIDENT_KINDS]),
})
