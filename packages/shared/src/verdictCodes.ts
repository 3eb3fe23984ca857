// The codes of verdicts, apart from the schemas, so that who needs the codes alone does not load the library.

export const VERDICTS = ['safe', 'caution', 'avoid', 'unknown'] as const
/** Risk levels of flags, lowest first. */
export const FLAG_RISKS = ['low', 'medium', 'high'] as const
/** The level of the worst flag; without flags `clean`, or `unknown` without a current measurement. */
export const RISK_LEVELS = ['clean', ...FLAG_RISKS, 'unknown'] as const
export const STATUSES = ['live', 'dark', 'invalid', 'unmeasured'] as const
export const BANDS = ['excellent', 'good', 'fair', 'poor', 'bad'] as const

/** Display label of each verdict. */
export const VERDICT_LABELS = {
  safe: 'Safe to pay',
  caution: 'Caution',
  avoid: 'Avoid',
  unknown: 'Unknown',
} as const satisfies Record<(typeof VERDICTS)[number], string>

/** Media type in the protected header of a signed decision. */
export const DECISION_TYPE = 'touchstone-decision+jwt'
