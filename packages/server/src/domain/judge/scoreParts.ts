import type { IncidentKind, ReceiverProfile, ReceiverStability, Status } from '@touchstone402/shared'
import type { EndpointState, ScoreEvidence, Uptime } from '../facts/hostDocument.ts'
import { days, INCIDENT_CAPS, LIMITS, POINTS, SCORE_SPEC } from './spec.ts'
import { scoreUptime } from './uptime.ts'

/** Evidence of a score. */
export type ScoreInput = ScoreEvidence & {
  readonly status: Status
  readonly stability: ReceiverStability
  readonly receiver: ReceiverProfile
  readonly uptime: Uptime
}

/** Returns the score evidence of a derived state. */
export function scoreInputOf(state: EndpointState): ScoreInput {
  const { scored, status, receiverStability, receiverProfile, uptime } = state
  return { ...scored, status, stability: receiverStability, receiver: receiverProfile, uptime }
}

/** One summand of a score. */
export type ScorePart = {
  /** A factor of the specification, or a bound: the cap of an open incident, or the floor of 0. */
  readonly factor: FactorId | 'cap' | 'floor'
  readonly name: string
  /** Minimum and maximum points of a factor; null for a bound. */
  readonly range: { readonly min: number; readonly max: number } | null
  readonly points: number
  /** The finding, for readers. */
  readonly evidence: string
}

type FactorId = 'live' | 'stability' | 'receiver' | 'uptime' | 'conformance' | 'priceStability'

/**
 * Breaks a score down into its factors, in the order of the specification, and the bound that applies, if any.
 * The points add up to the score.
 * @returns null if nothing was measured
 */
export function breakDownScore(input: ScoreInput): readonly ScorePart[] | null {
  const { status } = input
  if (status === 'unmeasured') return null
  if (status !== 'live') return [part('live', 0, `${status}: no valid challenge`)]
  const { stability, receiver, uptime } = input
  const factors = [
    part('live', POINTS.live, 'answers with a valid challenge'),
    part('stability', stability === null ? 0 : POINTS.stability[stability], stability ?? 'blank'),
    part('receiver', POINTS.receiver[receiver ?? 'blank'], receiver ?? 'blank'),
    part('uptime', scoreUptime(uptime), describeUptime(uptime)),
    conformancePart(input.conformance),
    pricePart(input.priceJumps),
  ]
  const bound = boundOf(sumParts(factors), input.openIncidents)
  return bound === undefined ? factors : [...factors, bound]
}

/** Adds up the points. */
export function sumParts(parts: readonly ScorePart[]): number {
  return parts.reduce((sum, { points }) => sum + points, 0)
}

function part(factor: FactorId, points: number, evidence: string): ScorePart {
  const spec = SCORE_SPEC.factors.find(({ id }) => id === factor)
  if (spec === undefined) throw new Error(`the specification has no factor ${factor}`)
  return { factor, name: spec.name, range: { min: spec.min, max: spec.max }, points, evidence }
}

function conformancePart(found: ScoreEvidence['conformance']): ScorePart {
  const { versionsAgree, resourceOrigin, inputDeclared } = POINTS.conformance
  const points =
    (found.versionsAgree ? versionsAgree : 0) +
    (found.resourceOrigin ? resourceOrigin : 0) +
    (found.inputDeclared ? inputDeclared : 0)
  const evidence = [
    found.versionsAgree ? 'challenges agree' : 'challenges disagree',
    found.resourceOrigin ? 'resource of the same origin' : 'no resource of the same origin',
    found.inputDeclared ? 'input declared' : 'no input declared',
  ].join(', ')
  return part('conformance', points, evidence)
}

function pricePart(jumps: number): ScorePart {
  const found = jumps === 0 ? 'no price jump' : jumps === 1 ? '1 price jump' : `${jumps} price jumps`
  const points = jumps === 0 ? 0 : Math.max(POINTS.priceJumpsMax, POINTS.priceJump * jumps)
  return part('priceStability', points, `${found} within ${days(LIMITS.priceJumpMemoryMs)}`)
}

function describeUptime({ up, down, pct, upperBound }: Uptime): string {
  const probes = up + down
  return pct === null
    ? `too few probes to state (${probes})`
    : `${pct}% of ${probes} probes, at best ${upperBound}%`
}

function boundOf(sum: number, openIncidents: readonly IncidentKind[]): ScorePart | undefined {
  const caps = openIncidents.map((kind) => ({ kind, most: INCIDENT_CAPS[kind] ?? 100 }))
  const lowest = caps.toSorted((a, b) => a.most - b.most)[0]
  if (lowest !== undefined && sum > lowest.most) {
    const evidence = `${lowest.kind} is open: at most ${lowest.most}`
    return { factor: 'cap', name: 'Open incident', range: null, points: lowest.most - sum, evidence }
  }
  return sum < 0
    ? { factor: 'floor', name: 'Floor', range: null, points: -sum, evidence: 'never below 0' }
    : undefined
}
