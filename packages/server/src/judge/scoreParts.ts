import type { IncidentKind, ReceiverProfile, ReceiverStability, Status } from '@touchstone402/shared'
import type { EndpointState, ScoreEvidence, Uptime } from '../facts/hostDocument.ts'
import { days, FACTORS, INCIDENT_CAPS, LIMITS, POINTS, SCORE_VERSION } from './spec.ts'
import { scoreUptime } from './uptime.ts'

/** Evidence of a score. */
export type ScoreInput = ScoreEvidence & {
  readonly status: Status
  readonly stability: ReceiverStability
  readonly receiver: ReceiverProfile
  readonly uptime: Uptime
}

/** Evidence of a factor that was not looked up, or of which too little is known. */
export const UNKNOWN = 'not known'

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

type FactorId = (typeof FACTORS)[number]['id']

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
    part('stability', stability === null ? 0 : POINTS.stability[stability], stability ?? UNKNOWN),
    part('receiver', POINTS.receiver[receiver ?? 'blank'], receiver ?? UNKNOWN),
    part('uptime', scoreUptime(uptime), describeUptime(uptime)),
    foundPart('conformance', POINTS.conformance, input.conformance, 'follows the protocol'),
    foundPart('proof', POINTS.proof, input.proof, 'none'),
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
  const spec = FACTORS.find(({ id }) => id === factor)
  if (spec === undefined) throw new Error(`the specification has no factor ${factor}`)
  const { name, min, max } = spec
  return { factor, name, range: { min, max }, points: Math.max(min, points), evidence }
}

const TEXTS = {
  foreignResource: 'resource of another origin',
  undeclaredInput: 'needs input that is not declared',
  misplacedChallenge: 'challenge where stock clients do not look',
  delivered: 'a test purchase was delivered',
  signed: 'the receiver signed for the host',
}

/** Adds the points of the findings that apply, and joins their texts. */
function foundPart<Key extends keyof typeof TEXTS>(
  factor: FactorId,
  points: Readonly<Record<Key, number>>,
  found: Readonly<Record<Key, boolean>>,
  nothing: string,
): ScorePart {
  const met = (Object.keys(points) as Key[]).filter((key) => found[key])
  const sum = met.reduce((total, key) => total + points[key], 0)
  return part(factor, sum, met.map((key) => TEXTS[key]).join(', ') || nothing)
}

function pricePart(jumps: number): ScorePart {
  const found = jumps === 0 ? 'no price jump' : jumps === 1 ? '1 price jump' : `${jumps} price jumps`
  const points = jumps === 0 ? 0 : POINTS.priceJump * jumps
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
