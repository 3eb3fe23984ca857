import type { Profile, VerdictCode } from '@touchstone402/shared'
import { isOverruled } from '../../domain/publish/overruled.ts'

type Scored = Pick<Profile, 'verdict' | 'trustScore' | 'overruledBy'>

/** Names the flags that overrule the score, as `overruled: cloaked`; null if the score stands. */
export function describeOverruled({ verdict, trustScore, overruledBy }: Scored): string | null {
  if (!isOverruled(verdict, trustScore)) return null
  return `overruled: ${overruledBy.join(', ') || 'see the reasons'}`
}

/** Joins a verdict and its score, which is no mark of quality beside a worse verdict: `Safe to pay 95`, `Avoid (overruled: cloaked)`. */
export function describeScored({ label, ...scored }: Scored & Pick<Profile, 'label'>): string {
  const overruled = describeOverruled(scored)
  if (overruled !== null) return `${label} (${overruled})`
  return scored.trustScore === null || scored.verdict === 'avoid' ? label : `${label} ${scored.trustScore}`
}

/** A score in a table or list; none where the verdict is worse than it. */
export function Score({ verdict, score }: { verdict: VerdictCode; score: number | null }) {
  const isShown = verdict !== 'avoid' && !isOverruled(verdict, score)
  return <span>{(isShown ? score : null) ?? '–'}</span>
}
