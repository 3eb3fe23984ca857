import type { CheckedVerdict } from '../types.ts'

/**
 * Returns the verdict used for decisions: always `avoid` at high risk. A host that was hijacked
 * and then opted out of probes is `unknown`, and its risk stays high.
 */
export function standingOf({
  verdict,
  riskLevel,
}: Pick<CheckedVerdict, 'verdict' | 'riskLevel'>): CheckedVerdict['verdict'] {
  return riskLevel === 'high' ? 'avoid' : verdict
}
