import type { Profile, VerdictCode } from '@touchstone402/shared'
import { isOverruled } from '../../domain/publish/overruled.ts'

type Scored = Pick<Profile, 'verdict' | 'trustScore' | 'overruledBy'>

/** Says that the verdict is worse than the score: `evidence 100, overruled: cloaked`; null if it is not. */
export function describeOverruled({ verdict, trustScore, overruledBy }: Scored): string | null {
  if (!isOverruled(verdict, trustScore)) return null
  const flags = overruledBy.join(', ')
  return `evidence ${trustScore}${flags === '' ? '' : `, overruled: ${flags}`}`
}

/** Joins a verdict and its score: `Safe to pay 95`, `Avoid (evidence 100, overruled: cloaked)`. */
export function describeScored({ label, ...scored }: Scored & Pick<Profile, 'label'>): string {
  const overruled = describeOverruled(scored)
  if (overruled !== null) return `${label} (${overruled})`
  return scored.trustScore === null ? label : `${label} ${scored.trustScore}`
}

/** A score in a table or list; as evidence where the verdict is worse than it. */
export function Score({ verdict, score }: { verdict: VerdictCode; score: number | null }) {
  const isEvidence = isOverruled(verdict, score)
  return isEvidence ? <span class="small muted">evidence {score}</span> : <span>{score ?? '–'}</span>
}
