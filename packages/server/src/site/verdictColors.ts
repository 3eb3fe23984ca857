import type { VerdictCode } from '@touchstone402/shared'

/** Colours of verdicts in badges and cards. Fixed, since other sites embed them beside either colour scheme. */
export const VERDICT_COLORS: Readonly<Record<VerdictCode, string>> = {
  safe: '#0a6b42',
  caution: '#855600',
  avoid: '#a51d18',
  unknown: '#5f6775',
}
