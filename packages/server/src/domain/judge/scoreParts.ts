import type { IncidentKind, ReceiverProfile, ReceiverStability, Status } from '@touchstone402/shared'
import type { EndpointState, ScoreEvidence, Uptime } from '../facts/hostDocument.ts'
import { SCORE_SPEC } from './scoreSpec.ts'
import { days, INCIDENT_CAPS, LIMITS, POINTS, SCORE_VERSION } from './spec.ts'
import { scoreUptime } from './uptime.ts'

/** Evidence of a score. */
export type ScoreInput = ScoreEvidence & {
  readonly status: Status
  readonly stability: ReceiverStability
  readonly receiver: ReceiverProfile
  readonly uptime: Uptime
}

/** Returns the score evidence of a derived state; null for a state of another version, whose evidence was other. */
export function scoreInputOf(state: EndpointState): ScoreInput | null {
  const { scored, status, receiverStability, receiverProfile, uptime, scoreVersion } = state
  if (scoreVersion !== SCORE_VERSION) return null
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

type FactorId = 'live' | 'stability' | 'receiver' | 'uptime' | 'conformance' | 'proof' | 'priceStability'

/**
 * Breaks a score down into its factors, in the order of the specification, and the bound that applies, if any.
 * The points add up to the score.
 * @returns null if nothing was measured, or without evidence
 */
export function breakDownScore(input: ScoreInput | null): readonly ScorePart[] | null {
  if (input === null || input.status === 'unmeasured') return null
  const { status } = input
  if (status !== 'live') return [part('live', 0, `${status}: no valid challenge`)]
  const { stability, receiver, uptime } = input
  const factors = [
    part('live', POINTS.live, 'answers with a valid challenge'),
    part('stability', stability === null ? 0 : POINTS.stability[stability], stability ?? 'blank'),
    part('receiver', POINTS.receiver[receiver ?? 'blank'], receiver ?? 'blank'),
    part('uptime', scoreUptime(uptime), describeUptime(uptime)),
    conformancePart(input.conformance),
    proofPart(input.proof),
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
  const { points, evidence } = addUp(POINTS.conformance, found, [
    ['foreignResource', 'resource of another origin'],
    ['undeclaredInput', 'needs input that is not declared'],
    ['misplacedChallenge', 'challenge where stock clients do not look'],
  ])
  return part('conformance', Math.max(POINTS.conformanceMax, points), evidence || 'follows the protocol')
}

function proofPart(found: ScoreEvidence['proof']): ScorePart {
  const { points, evidence } = addUp(POINTS.proof, found, [
    ['delivered', 'a test purchase was delivered'],
    ['signed', 'the receiver signed for the host'],
  ])
  return part('proof', points, evidence || 'none')
}

/** Adds the points of the findings that apply, and joins their texts. */
function addUp<Key extends string>(
  points: Readonly<Record<Key, number>>,
  found: Readonly<Record<Key, boolean>>,
  texts: readonly (readonly [Key, string])[],
): { points: number; evidence: string } {
  const met = texts.filter(([key]) => found[key])
  return {
    points: met.reduce((sum, [key]) => sum + points[key], 0),
    evidence: met.map(([, text]) => text).join(', '),
  }
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
    : `${pct}% in ${probes} probes, at best ${upperBound}%`
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
