/**
 * Sentence of each reason code, for people and logs.
 * @example
 * const sentence = REASONS.RECEIVER_NOT_CHECKED
 */
export const REASONS = {
  // URL and redirects
  URL_INVALID: 'The address is not a plain http or https URL.',
  URL_UNKNOWN: 'The transport does not report the call URL.',
  REQUEST_INVALID: 'The headers of the request are not readable.',
  INSECURE_HTTP: 'Over plain http, anyone on the network path can change the terms.',
  HOST_NOT_ALLOWED: 'The policy does not allow this host.',
  REDIRECT_REFUSED: 'The request was redirected to another origin before payment.',
  REDIRECT_AFTER_PAYMENT: 'The payment was answered with a redirect, which is not followed.',
  RESOURCE_MISMATCH: 'The challenge names a resource of another origin.',
  // Challenge
  CHALLENGE_MALFORMED: 'The 402 contains no readable offer.',
  CHALLENGE_EXPIRED: 'The offer of this 402 had expired when it arrived.',
  PROTOCOL_NOT_SUPPORTED: 'The guard does not pay by the protocol or method of this 402.',
  SCHEME_NOT_ALLOWED: 'The guard does not pay offers of this form.',
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
  DELIVERY_NOT_PROVEN: 'No test purchase at this price was delivered.',
  RECEIVER_NOT_CHECKED: 'The offered receiver is not the checked one.',
  TERMS_NOT_CHECKED: 'The offered network or asset was never checked at this endpoint.',
  PRICE_ABOVE_CHECKED: 'The price exceeds the highest checked price.',
  RECEIVER_PIN_MISMATCH: 'The receiver differs from the one last paid at this endpoint.',
  RISK_TOO_HIGH: 'The verdict names a high risk.',
  // Own experience
  OVER_ASK_LIMIT: 'The price needs approval, and the payment was not approved.',
  TERMS_NOT_USUAL: 'The offered network or asset was not paid at this endpoint before.',
  PRICE_NOT_USUAL: 'The price is far above what was paid or measured here before.',
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

/** Codes of errors after which money may have left. The error of `OFFER_CHANGED` states it. */
export const PAID_CODES: readonly ReasonCode[] = [
  'PAYMENT_PENDING',
  'PAYMENT_UNRESOLVED',
  'PAYMENT_SETTLED',
  'PAYMENT_NOT_ACCEPTED',
  'REDIRECT_AFTER_PAYMENT',
  'NO_ANSWER',
]

/** Whether a code is one of a list. */
export const isOneOf = <Code extends ReasonCode>(codes: readonly Code[], code: ReasonCode): code is Code =>
  (codes as readonly ReasonCode[]).includes(code)

/** Code of a {@link BudgetExceededError}. */
export type BudgetCode = (typeof BUDGET_CODES)[number]
/** Code of an {@link OfferMismatchError}. */
export type OfferCode = (typeof OFFER_CODES)[number]
/** Code of a {@link PaymentBlockedError}. */
export type BlockCode = Exclude<ReasonCode, BudgetCode | OfferCode | 'VERDICT_UNAVAILABLE' | 'CONFIGURATION'>

/** Where the payment was sent, if it can be sent again. */
export const RETRY = 'Retry the same call: the same payment is sent again and no second one is signed.'
/** In its place if the integration, or a body that is read once, does not allow that. */
export const CANNOT_RESEND = 'Ask the seller for the result; the payment cannot be sent again.'
const POLICY = 'Ask the owner of the wallet whether the policy should allow it; do not retry.'
const OTHER = 'Use another seller; do not retry.'
const APPROVE = 'Ask the owner of the wallet to approve the price, or use another seller.'
const SELLER = 'Use another seller, or tell this one that its challenge is wrong.'
const WAIT = 'Wait until the limit resets, or ask the owner for a higher one.'
const NEW_SELLER = 'Ask the owner of the wallet to allow more at this host; do not retry.'
const LIVE_CHECK =
  'Pay less at first, buy a live check by giving the guard an account, or use another seller.'
const FULL_VERDICT = 'Use an endpoint with a full verdict, or wait until the limit resets.'
const PROFILE = 'Use another seller; the profile says why.'
const CODE = 'Correct the integration: the payment library and the guard disagree.'
const ADDRESS = 'Correct the call URL.'

/**
 * The remedy of each reason code, one sentence each.
 * @example
 * const remedy = REMEDIES.OVER_DAY_LIMIT
 */
export const REMEDIES: Record<ReasonCode, string> = {
  URL_INVALID: ADDRESS,
  URL_UNKNOWN: 'Use guard.hooks(client, { url, method }), or put guard.fetch below the client.',
  REQUEST_INVALID: 'Correct the headers of the request.',
  INSECURE_HTTP: 'Use the https address of the endpoint.',
  HOST_NOT_ALLOWED: POLICY,
  REDIRECT_REFUSED: 'Call the target of the redirect directly, if you trust it.',
  REDIRECT_AFTER_PAYMENT: RETRY,
  RESOURCE_MISMATCH: SELLER,
  CHALLENGE_MALFORMED: SELLER,
  CHALLENGE_EXPIRED: 'Call again for a new offer; check the clock of this machine if it persists.',
  PROTOCOL_NOT_SUPPORTED: 'Use a client of that protocol, or another seller.',
  SCHEME_NOT_ALLOWED: SELLER,
  NETWORK_NOT_ALLOWED: POLICY,
  ASSET_NOT_ALLOWED: OTHER,
  DOMAIN_MISMATCH: SELLER,
  AMOUNT_INVALID: SELLER,
  AUTHORIZATION_TOO_LONG:
    'Ask the seller for a shorter maxTimeoutSeconds, or the owner of the wallet to allow it.',
  RECEIVER_NOT_ALLOWED: OTHER,
  RECEIVERS_CONFLICT: SELLER,
  VERDICT_AVOID: PROFILE,
  VERDICT_CAUTION: 'Ask the owner to approve the payment, or use another seller.',
  VERDICT_UNKNOWN: LIVE_CHECK,
  VERDICT_THIN: LIVE_CHECK,
  VERDICT_UNAVAILABLE: 'Retry in a few seconds; check the service URL if it persists.',
  DELIVERY_NOT_PROVEN: PROFILE,
  SCORE_TOO_LOW: 'Use a seller with a higher score.',
  RECEIVER_NOT_CHECKED: 'Do not pay; retry after the service has checked the new receiver.',
  TERMS_NOT_CHECKED: 'Retry after the service has checked these terms, or use another seller.',
  PRICE_ABOVE_CHECKED: 'Retry later, or use another seller.',
  RECEIVER_PIN_MISMATCH:
    'Ask the owner of the wallet whether the seller has changed its receiver; do not retry.',
  RISK_TOO_HIGH: PROFILE,
  OVER_ASK_LIMIT: APPROVE,
  TERMS_NOT_USUAL: 'Ask the owner of the wallet to approve the new terms, or use another seller.',
  PRICE_NOT_USUAL: APPROVE,
  PAYMENT_PENDING: 'Retry the same call through an integration that re-sends, or wait until resetsAt.',
  PAYMENT_UNRESOLVED:
    'Wait until resetsAt, or check the wallet on chain and call guard.resolve(paymentId, "lost" or "delivered").',
  NO_ANSWER: RETRY,
  PAYMENT_SETTLED:
    'Ask the seller for the result with the transaction, then call guard.resolve(paymentId, "delivered").',
  NO_DELIVERY_STRIKE: 'Use another seller, or wait until resetsAt.',
  TOO_MANY_PAYMENTS: WAIT,
  PAYMENT_LOOP: WAIT,
  STOPPED: 'Wait until the owner of the wallet resumes payments.',
  OVER_CALL_LIMIT: 'Raise maxUsd of the call, or use a cheaper seller.',
  OVER_TASK_LIMIT: 'Ask for a higher budget of the task; it does not reset.',
  OVER_RECEIVER_DAY_LIMIT: WAIT,
  OVER_UNKNOWN_DOMAIN_LIMIT: FULL_VERDICT,
  OVER_UNKNOWN_DAY_LIMIT: FULL_VERDICT,
  OVER_NEW_SELLER_LIMIT: NEW_SELLER,
  OVER_NEW_SELLER_DAY_LIMIT: NEW_SELLER,
  OVER_NEW_SELLERS_DAY_LIMIT: NEW_SELLER,
  OVER_PAYMENT_LIMIT: 'Use a cheaper seller, or ask the owner for a higher limit.',
  OVER_HOST_DAY_LIMIT: WAIT,
  OVER_DAY_LIMIT: WAIT,
  OVER_TOTAL_LIMIT: 'Ask the owner for a higher limit.',
  LEDGER_FAILED: 'Free the disk or repair the ledger, then restart.',
  PAYMENT_MALFORMED: CODE,
  CREDENTIAL_NOT_READ: 'Remove the credential, or send it without the guard if you trust the seller.',
  NO_INTENT: CODE,
  OFFER_CHANGED: 'Do not pay this seller; it or the library changed the terms.',
  SIGNATURE_INVALID: CODE,
  WALLET_REFUSED: 'Ask the owner of the wallet, then call again; nothing is pending.',
  SIGNED_TOO_LATE: 'Call again with a faster signer, or ask the seller for a longer maxTimeoutSeconds.',
  SIGNING_REFUSED: CODE,
  PAYMENT_NOT_ACCEPTED: `Check that the wallet is funded. ${RETRY}`,
  GUARD_ABOVE_LIBRARY:
    'Put the guard below the library: wrapFetchWithPayment(guard.fetch(fetch), client); or set allowUnseen.',
  CONFIGURATION: 'Correct the named option.',
}
