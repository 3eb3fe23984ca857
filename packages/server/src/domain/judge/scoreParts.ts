import type { IncidentKind, ReceiverStability, Status } from '@touchstone402/shared'
import type { EndpointState, ScoreEvidence, Uptime } from '../facts/hostDocument.ts'
import { days, INCIDENT_CAPS, LIMITS, POINTS, SCORE_SPEC } from './spec.ts'
import { scoreUptime } from './uptime.ts'

/** The evidence that a score is made of. */
export type ScoreInput = ScoreEvidence & {
  readonly status: Status
  readonly stability: ReceiverStability
  readonly receiver: 'established' | 'dormant' | null
  readonly uptime: Uptime
}

/** The evidence of a score, out of what was derived for its endpoint. */
export function scoreInputOf(state: EndpointState): ScoreInput {
  const { scored, status, receiverStability, receiverProfile, uptime } = state
  return { ...scored, status, stability: receiverStability, receiver: receiverProfile, uptime }
}

/** One line of the sum that a score is. */
export type ScorePart = {
  /** A factor of the specification, or what bounds the sum: an open incident, or 0. */
  readonly factor: FactorId | 'cap' | 'floor'
  readonly name: string
  /** The least and the most that a factor brings; null for a bound. */
  readonly range: { readonly min: number; readonly max: number } | null
  readonly points: number
  /** What was found, in words. */
  readonly evidence: string
}

type FactorId = 'live' | 'stability' | 'receiver' | 'uptime' | 'conformance' | 'priceStability'

/**
 * How a score adds up: the factors in the order of the specification, then the bound that holds the sum, if one does.
 * The points add up to the score exactly.
 * @returns null while nothing could be measured
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

/** What parts come to. */
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

/** What holds the sum down or up; a score is never below 0. */
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
