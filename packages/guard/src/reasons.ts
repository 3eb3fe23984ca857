/** Every reason for which a payment is refused, with the one sentence that people and logs see. */
export const REASONS = {
  // The address and the way to it
  URL_INVALID: 'The address is no plain http or https URL.',
  INSECURE_HTTP: 'The endpoint is reached over plain http, where anybody on the way can change the terms.',
  HOST_NOT_ALLOWED: 'The policy does not allow this host.',
  REDIRECT_REFUSED: 'The request was redirected to another origin before payment.',
  REDIRECT_AFTER_PAYMENT: 'The endpoint answered the payment with a redirect, which is not followed.',
  RESOURCE_MISMATCH: 'The challenge is for a resource of another origin.',
  // The challenge, entry by entry
  CHALLENGE_MALFORMED: 'The 402 holds no offer that can be read.',
  SCHEME_NOT_ALLOWED: 'Only the exact scheme with a plain transfer authorization is paid.',
  NETWORK_NOT_ALLOWED: 'The policy does not allow the network that is offered.',
  ASSET_NOT_ALLOWED: 'The asset that is asked for is not one that the policy allows.',
  DOMAIN_MISMATCH: 'The signing domain of the offer is not the one of the asset.',
  AMOUNT_INVALID: 'The amount is zero.',
  AUTHORIZATION_TOO_LONG: 'The offer wants an authorization that stays valid longer than the policy allows.',
  RECEIVER_NOT_ALLOWED: 'The policy does not allow this receiver.',
  RECEIVERS_CONFLICT: 'The challenge names different receivers for one and the same asset.',
  // The verdict
  VERDICT_AVOID: 'The service says to avoid this endpoint.',
  VERDICT_CAUTION: 'The service advises caution, and nobody approved the payment.',
  VERDICT_UNKNOWN:
    'The service cannot vouch for this endpoint, and the amount is above what is paid on trust.',
  VERDICT_THIN: 'The verdict is good but young, and the amount is above what is paid on so little evidence.',
  VERDICT_UNAVAILABLE: 'No signed verdict could be had.',
  SCORE_TOO_LOW: 'The trust score is below the minimum of the policy.',
  RECEIVER_NOT_CHECKED: 'The receiver that is offered is not the one that was checked.',
  TERMS_NOT_CHECKED: 'The network or asset that is offered was never checked at this endpoint.',
  PRICE_ABOVE_CHECKED: 'The price is above the highest one that was checked.',
  RECEIVER_PIN_MISMATCH: 'The receiver differs from the one that was paid here before.',
  // Own experience and budgets
  NO_DELIVERY_STRIKE: 'An earlier payment to this endpoint bought nothing.',
  TOO_MANY_PAYMENTS: 'Too many payments to this host in one minute.',
  PAYMENT_LOOP: 'The same call was paid too often in one minute.',
  OVER_PAYMENT_LIMIT: 'The price is above the limit for one payment.',
  OVER_HOST_DAY_LIMIT: 'The payment would exceed the daily budget of this host.',
  OVER_DAY_LIMIT: 'The payment would exceed the daily budget.',
  OVER_TOTAL_LIMIT: 'The payment would exceed the total budget.',
  LEDGER_FAILED: 'The ledger could not be written, and nothing is paid that is not remembered.',
  // The signed payload on its way out
  PAYMENT_MALFORMED: 'The payment header cannot be read.',
  NO_INTENT: 'No approved payment is open for this call.',
  OFFER_CHANGED: 'The terms of the payment are not the ones that were approved.',
  SIGNATURE_INVALID: 'The signature of the payment does not verify.',
  SIGNING_REFUSED: 'The guarded account signs transfer authorizations that were approved, and nothing else.',
  PAYMENT_NOT_ACCEPTED: 'The endpoint asked for payment again after it had been paid.',
  // The guard itself
  CONFIGURATION: 'The guard is not configured correctly.',
} as const

/** A literal code that says why a payment was refused. */
export type ReasonCode = keyof typeof REASONS

/** Codes that concern budgets: the endpoint may be fine, the wallet is what says no. */
export const BUDGET_CODES = [
  'OVER_PAYMENT_LIMIT',
  'OVER_HOST_DAY_LIMIT',
  'OVER_DAY_LIMIT',
  'OVER_TOTAL_LIMIT',
  'TOO_MANY_PAYMENTS',
  'PAYMENT_LOOP',
] as const satisfies readonly ReasonCode[]

/** Codes that concern a payment which is not, or no longer, the approved one. */
export const OFFER_CODES = [
  'PAYMENT_MALFORMED',
  'NO_INTENT',
  'OFFER_CHANGED',
  'SIGNATURE_INVALID',
  'SIGNING_REFUSED',
] as const satisfies readonly ReasonCode[]

export type BudgetCode = (typeof BUDGET_CODES)[number]
export type OfferCode = (typeof OFFER_CODES)[number]
/** Codes that concern the endpoint, its challenge or its verdict. */
export type BlockCode = Exclude<ReasonCode, BudgetCode | OfferCode | 'VERDICT_UNAVAILABLE' | 'CONFIGURATION'>
