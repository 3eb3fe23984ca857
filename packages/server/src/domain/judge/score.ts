import type { Band, Flag, RiskLevel, Status, VerdictCode } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import { breakDownScore, type ScoreInput, sumParts } from './scoreParts.ts'
import { BAND_RANGES, FLAG_SPECS, LIMITS } from './spec.ts'

/** The score of one endpoint, 0 to 100, or null while nothing could be measured. */
export function scoreEndpoint(input: ScoreInput): number | null {
  const parts = breakDownScore(input)
  return parts === null ? null : sumParts(parts)
}

const RISK_ORDER: readonly RiskLevel[] = ['clean', 'low', 'medium', 'high']

/** The worst flag's level; `clean` without flags. */
export function riskOf(flags: readonly Flag[]): RiskLevel {
  const worst = Math.max(0, ...flags.map((flag) => RISK_ORDER.indexOf(FLAG_SPECS[flag].risk)))
  return RISK_ORDER[worst] ?? 'high'
}

/** What a verdict follows from. */
export type VerdictInput = {
  readonly status: Status
  readonly score: number | null
  readonly riskLevel: RiskLevel
  /** The last look that bears the status out. */
  readonly confirmedAt: Time | null
  /** The last looks name another receiver, and nothing has settled yet what that means. */
  readonly receiverUnconfirmed: boolean
}

/** The verdict at a moment: a status that nothing has borne out for 48 h decides nothing any more. */
export function decideVerdict(input: VerdictInput, now: Time): VerdictCode {
  const { status, score, riskLevel, confirmedAt, receiverUnconfirmed } = input
  if (status === 'unmeasured' || score === null || confirmedAt === null) return 'unknown'
  if (now >= confirmedAt + LIMITS.verdictLifetimeMs) return 'unknown'
  if (status !== 'live' || riskLevel === 'high' || score < LIMITS.avoidBelow) return 'avoid'
  return riskLevel === 'medium' || score < LIMITS.cautionBelow || receiverUnconfirmed ? 'caution' : 'safe'
}

/** The band that a score lies in. */
export function bandOf(score: number): Band {
  return BAND_RANGES.find(({ min }) => score >= min)?.id ?? 'bad'
}
