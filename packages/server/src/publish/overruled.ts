import { FLAG_RECORDS, type Flag, type RiskLevel, type VerdictCode } from '@touchstone402/shared'
import { riskOf } from '../judge/score.ts'
import { LIMITS } from '../judge/spec.ts'

/** Whether a verdict is worse than its score alone would give. Such a score is evidence, not a mark of quality. */
export function isOverruled(verdict: VerdictCode, score: number | null): boolean {
  if (score === null) return false
  if (verdict === 'avoid') return score >= LIMITS.avoidBelow
  return verdict === 'caution' && score >= LIMITS.cautionBelow
}

/** Returns the flags that make a verdict worse than its score alone would. */
export function overrulingFlags(verdict: VerdictCode, score: number | null, flags: readonly Flag[]): Flag[] {
  if (flags.length === 0 || !isOverruled(verdict, score)) return []
  const risk = verdict === 'avoid' ? 'high' : 'medium'
  return flags.filter((flag) => FLAG_RECORDS[flag].risk === risk)
}

/** Returns the published risk level: without flags, a verdict that is unknown is not clean. */
export function publishedRisk(verdict: VerdictCode, flags: readonly Flag[]): RiskLevel {
  return flags.length === 0 && verdict === 'unknown' ? 'unknown' : riskOf(flags)
}
