// The codes of verdicts, apart from the schemas, so that who needs the codes alone does not load the library.

export const VERDICTS = ['safe', 'caution', 'avoid', 'unknown'] as const
/** Risk levels of flags, lowest first. */
export const FLAG_RISKS = ['low', 'medium', 'high'] as const
/** The level of the worst flag; without flags `clean`, or `unknown` without a current measurement. */
export const RISK_LEVELS = ['clean', ...FLAG_RISKS, 'unknown'] as const
export const STATUSES = ['live', 'dark', 'invalid', 'unmeasured'] as const
export const BANDS = ['excellent', 'good', 'fair', 'poor', 'bad'] as const
export const FLAGS = [
  'unverifiable',
  'price_drift',
  'payment_unsupported',
  'unpayable_by_stock',
  'price_unknown',
  'terms_new',
  'slow',
  'price_high',
  'price_varies',
  'terms_disagree',
  'terms_unproven',
  'payto_rotates',
  'flaky',
  'receiver_never_paid',
  'receiver_differs_from_listing',
  'receiver_accused_elsewhere',
  'host_accused',
  'resource_mismatch',
  'network_testnet',
  'asset_unknown',
  'scheme_unsafe',
  'payto_changed',
  'protocols_disagree',
  'price_bait',
  'cloaked',
  'no_delivery',
  'receiver_unverified',
  'receiver_sanctioned',
  'receiver_flagged',
] as const

/** Display label of each verdict. */
export const VERDICT_LABELS = {
  safe: 'Safe to pay',
  caution: 'Caution',
  avoid: 'Avoid',
  unknown: 'Unknown',
} as const satisfies Record<(typeof VERDICTS)[number], string>

/** Media type in the protected header of a signed decision. */
export const DECISION_TYPE = 'touchstone-decision+jwt'
