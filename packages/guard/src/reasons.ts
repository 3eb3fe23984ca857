/**
 * Sentence of each reason code, for people and logs.
 * @example
 * const sentence = REASONS.RECEIVER_NOT_CHECKED
 */
export const REASONS = {
  // URL and redirects
  URL_INVALID: 'The address is not a plain http or https URL.',
  URL_UNKNOWN: 'The transport does not name the URL of the call.',
  REQUEST_INVALID: 'The headers of the request are not readable.',
  INSECURE_HTTP: 'Over plain http, anyone on the network path can change the terms.',
  HOST_NOT_ALLOWED: 'The policy does not allow this host.',
  REDIRECT_REFUSED: 'The request was redirected to another origin before payment.',
  REDIRECT_AFTER_PAYMENT: 'The payment was answered with a redirect, which is not followed.',
  RESOURCE_MISMATCH: 'The challenge names a resource of another origin.',
  // Challenge
  CHALLENGE_MALFORMED: 'The 402 contains no readable offer.',
  PROTOCOL_NOT_SUPPORTED: 'The guard does not pay by the protocol or method of this 402.',
  SCHEME_NOT_ALLOWED: 'The guard pays plain exact authorizations, and upto where the policy allows it.',
  NETWORK_NOT_ALLOWED: 'The policy does not allow the offered network.',
  ASSET_NOT_ALLOWED: 'The policy does not allow the requested asset.',
  DOMAIN_MISMATCH: 'The signing domain of the offer is not that of the asset.',
  AMOUNT_INVALID: 'The amount is zero.',
  AUTHORIZATION_TOO_LONG: 'The offered authorization is valid longer than the policy allows.',
  RECEIVER_NOT_ALLOWED: 'The policy does not allow this receiver.',
  RECEIVERS_CONFLICT: 'The challenge names different receivers for the same asset.',
  // Verdict
  VERDICT_AVOID: 'The service says to avoid this endpoint.',
  VERDICT_CAUTION: 'The service advises caution, and the payment was not approved.',
  VERDICT_UNKNOWN:
    'The endpoint has no recent measurement, and the amount exceeds the limit for unknown endpoints.',
  VERDICT_THIN:
    'The verdict rests on little evidence, and the amount exceeds the limit for unknown endpoints.',
  VERDICT_UNAVAILABLE: 'No signed verdict is available.',
  SCORE_TOO_LOW: 'The trust score is below the minimum of the policy.',
  RECEIVER_NOT_CHECKED: 'The offered receiver is not the checked one.',
  TERMS_NOT_CHECKED: 'The offered network or asset was never checked at this endpoint.',
  PRICE_ABOVE_CHECKED: 'The price exceeds the highest checked price.',
  RECEIVER_PIN_MISMATCH: 'The receiver differs from the one last paid at this endpoint.',
  RISK_TOO_HIGH: 'The verdict names a high risk.',
  // Own experience
  TERMS_NOT_USUAL: 'The offered network or asset was not paid at this endpoint before.',
  PRICE_NOT_USUAL: 'The price is far above what was paid or offered at this endpoint before.',
  // Retries
  PAYMENT_PENDING: 'A payment for this call is unresolved, so no second one is signed.',
  PAYMENT_UNRESOLVED: 'The payment for this call expired without an answer; it may have been collected.',
  NO_ANSWER: 'The payment was sent, and its answer did not arrive whole.',
  PAYMENT_SETTLED: 'The payment for this call was collected, and the call was not answered.',
  // Own experience and budgets
  NO_DELIVERY_STRIKE: 'An earlier payment to this endpoint delivered nothing.',
  TOO_MANY_PAYMENTS: 'Too many payments to this host in one minute.',
  PAYMENT_LOOP: 'The same call was paid too often in one minute.',
  STOPPED: 'Payments are stopped.',
  OVER_CALL_LIMIT: 'The price exceeds the limit of this call.',
  OVER_PAYMENT_LIMIT: 'The price exceeds the limit for one payment.',
  OVER_TASK_LIMIT: 'The payment would exceed the budget of this task.',
  OVER_HOST_DAY_LIMIT: 'The payment would exceed the daily budget of this host.',
  OVER_RECEIVER_DAY_LIMIT: 'The payment would exceed the daily budget of this receiver.',
  OVER_UNKNOWN_DOMAIN_LIMIT:
    'The payment would exceed the daily budget of this domain without a full verdict.',
  OVER_UNKNOWN_DAY_LIMIT: 'The payment would exceed the daily budget for endpoints without a full verdict.',
  OVER_NEW_SELLER_LIMIT: 'The price exceeds the limit for one call of a new seller.',
  OVER_NEW_SELLER_DAY_LIMIT: 'The payment would exceed the daily budget of this new domain.',
  OVER_NEW_SELLERS_DAY_LIMIT: 'The payment would exceed the daily budget for new sellers.',
  OVER_DAY_LIMIT: 'The payment would exceed the daily budget.',
  OVER_TOTAL_LIMIT: 'The payment would exceed the total budget.',
  LEDGER_FAILED: 'The ledger could not be written, so nothing is paid.',
  // Signed payload
  PAYMENT_MALFORMED: 'The payment header is not readable.',
  CREDENTIAL_NOT_READ: 'The guard does not read a payment credential of the request.',
  NO_INTENT: 'No approved payment is open for this call.',
  OFFER_CHANGED: 'The terms of the payment differ from the approved ones.',
  SIGNATURE_INVALID: 'The signature of the payment does not verify.',
  WALLET_REFUSED: 'The wallet did not sign.',
  SIGNED_TOO_LATE: 'The wallet took longer to sign than the authorization is valid.',
  SIGNING_REFUSED: 'The guarded account signs approved transfer authorizations only.',
  PAYMENT_NOT_ACCEPTED: 'The endpoint asked for payment again after it was paid.',
  // The guard itself
  GUARD_ABOVE_LIBRARY: 'A payment library below the guard pays this host unseen.',
  CONFIGURATION: 'The guard is not configured correctly.',
} as const

/**
 * Literal reason of a refusal.
 * @example
 * const refused = new Map<ReasonCode, number>([['OVER_DAY_LIMIT', 1]])
 */
export type ReasonCode = keyof typeof REASONS

/** Codes of exhausted budgets and rate limits, in the order in which they are checked. */
export const BUDGET_CODES = [
  'OVER_CALL_LIMIT',
  'OVER_PAYMENT_LIMIT',
  'OVER_TASK_LIMIT',
  'OVER_HOST_DAY_LIMIT',
  'OVER_RECEIVER_DAY_LIMIT',
  'OVER_DAY_LIMIT',
  'OVER_TOTAL_LIMIT',
  'OVER_UNKNOWN_DOMAIN_LIMIT',
  'OVER_UNKNOWN_DAY_LIMIT',
  'OVER_NEW_SELLER_LIMIT',
  'OVER_NEW_SELLER_DAY_LIMIT',
  'OVER_NEW_SELLERS_DAY_LIMIT',
  'TOO_MANY_PAYMENTS',
  'PAYMENT_LOOP',
] as const satisfies readonly ReasonCode[]

/** Codes of payments that differ from the approved one. */
export const OFFER_CODES = [
  'PAYMENT_MALFORMED',
  'CREDENTIAL_NOT_READ',
  'NO_INTENT',
  'OFFER_CHANGED',
  'SIGNATURE_INVALID',
  'SIGNING_REFUSED',
] as const satisfies readonly ReasonCode[]

/** Codes of errors after which money may have left. `OFFER_CHANGED` says so in the error. */
export const PAID_CODES: readonly ReasonCode[] = [
  'PAYMENT_PENDING',
  'PAYMENT_UNRESOLVED',
  'PAYMENT_SETTLED',
  'PAYMENT_NOT_ACCEPTED',
  'REDIRECT_AFTER_PAYMENT',
  'NO_ANSWER',
]

/** Code of a {@link BudgetExceededError}. */
export type BudgetCode = (typeof BUDGET_CODES)[number]
/** Code of an {@link OfferMismatchError}. */
export type OfferCode = (typeof OFFER_CODES)[number]
/** Code of a {@link PaymentBlockedError}. */
export type BlockCode = Exclude<ReasonCode, BudgetCode | OfferCode | 'VERDICT_UNAVAILABLE' | 'CONFIGURATION'>
