import {
  type Band,
  FLAG_RECORDS,
  type Flag,
  RISK_LEVELS,
  type RiskLevel,
  type VerdictCode,
} from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import { breakDownScore, type ScoreInput, sumParts } from './scoreParts.ts'
import { BAND_RANGES, LIMITS } from './spec.ts'

/** Returns the score of an endpoint, 0 to 100; null if nothing was measured. */
export function scoreEndpoint(input: ScoreInput): number | null {
  const parts = breakDownScore(input)
  return parts === null ? null : sumParts(parts)
}

/** Returns the risk level of the worst flag; `clean` without flags. */
export function riskOf(flags: readonly Flag[]): RiskLevel {
  const worst = Math.max(0, ...flags.map((flag) => RISK_LEVELS.indexOf(FLAG_RECORDS[flag].risk)))
  return RISK_LEVELS[worst] ?? 'high'
}

type VerdictInput = Pick<
  EndpointState,
  'status' | 'score' | 'riskLevel' | 'confirmedAt' | 'receiverUnconfirmed' | 'doubtful'
>

/** Returns the verdict at a given time. It expires 48 h after the last probe that confirms the status. */
export function decideVerdict(input: VerdictInput, now: Time): VerdictCode {
  const { status, score, riskLevel, confirmedAt, receiverUnconfirmed, doubtful } = input
  if (status === 'unmeasured' || score === null || confirmedAt === null) return 'unknown'
  if (now >= confirmedAt + LIMITS.verdictLifetimeMs) return 'unknown'
  if (status !== 'live' || riskLevel === 'high' || score < LIMITS.avoidBelow) return 'avoid'
  const isDoubtful = receiverUnconfirmed || doubtful
  return riskLevel === 'medium' || score < LIMITS.cautionBelow || isDoubtful ? 'caution' : 'safe'
}

/** Returns the band of a score. */
export function bandOf(score: number): Band {
  return BAND_RANGES.find(({ min }) => score >= min)?.id ?? 'bad'
}
