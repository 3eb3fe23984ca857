import type { ReasonCode } from './reasons.ts'

/** Where the payment was sent, if it can be sent again. */
export const RETRY = 'Retry the same call: the same payment is sent again and no second one is signed.'
/** In its place if the integration, or a body that is read once, does not allow that. */
export const CANNOT_RESEND = 'Ask the seller for the result; the payment cannot be sent again.'
const POLICY = 'Ask the owner of the wallet whether the policy should allow it; do not retry.'
const SELLER = 'Use another seller, or tell this one that its challenge is wrong.'
const WAIT = 'Wait until the limit resets, or ask the owner for a higher one.'
const NEW_SELLER = 'Ask the owner for the host in allowHosts, a higher newSeller limit or a service.'
const LIVE_CHECK =
  'Pay less at first, buy a live check by giving the guard an account, or use another seller.'
const FULL_VERDICT = 'Use an endpoint with a full verdict, or wait until the limit resets.'
const PROFILE = 'Use another seller; the profile says why.'
const CODE = 'Correct the integration: the payment library and the guard disagree.'
const ADDRESS = 'Correct the address of the call.'

/** Where a live check was tried and failed. */
export const LIVE_CHECK_FAILED = 'Pay less at first, retry later, or use another seller.'

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
  PROTOCOL_NOT_SUPPORTED: 'Use a client of that protocol, or another seller.',
  SCHEME_NOT_ALLOWED: SELLER,
  NETWORK_NOT_ALLOWED: POLICY,
  ASSET_NOT_ALLOWED: POLICY,
  DOMAIN_MISMATCH: SELLER,
  AMOUNT_INVALID: SELLER,
  AUTHORIZATION_TOO_LONG: 'Ask the seller for a shorter maxTimeoutSeconds, or raise maxAuthorizationSeconds.',
  RECEIVER_NOT_ALLOWED: POLICY,
  RECEIVERS_CONFLICT: SELLER,
  VERDICT_AVOID: PROFILE,
  VERDICT_CAUTION: 'Ask the owner to approve the payment, or use another seller.',
  VERDICT_UNKNOWN: LIVE_CHECK,
  VERDICT_THIN: LIVE_CHECK,
  VERDICT_UNAVAILABLE: 'Retry in a few seconds; check the service URL if it persists.',
  SCORE_TOO_LOW: 'Use a seller with a higher score.',
  RECEIVER_NOT_CHECKED: 'Do not pay; retry after the service has checked the new receiver.',
  TERMS_NOT_CHECKED: 'Retry after the service has checked these terms, or use another seller.',
  PRICE_ABOVE_CHECKED: 'Retry later, or use another seller.',
  RECEIVER_PIN_MISMATCH:
    'Ask the owner to confirm the new receiver; guard.ledger.clear("pins", host) accepts it.',
  RISK_TOO_HIGH: PROFILE,
  TERMS_NOT_USUAL: 'Ask the owner of the wallet to approve the new terms, or use another seller.',
  PRICE_NOT_USUAL: 'Ask the owner of the wallet to approve the price, or use another seller.',
  PAYMENT_PENDING: 'Retry the same call through an integration that re-sends, or wait until resetsAt.',
  PAYMENT_UNRESOLVED: 'Check the wallet on chain, then call guard.resolve(paymentId, "lost" or "delivered").',
  NO_ANSWER: RETRY,
  PAYMENT_SETTLED:
    'Ask the seller for the result with the transaction, then call guard.resolve(paymentId, "delivered").',
  NO_DELIVERY_STRIKE: 'Use another seller; guard.clearStrike(host) forgives this one.',
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
  SIGNED_TOO_LATE: 'Call again; nothing is pending.',
  SIGNING_REFUSED: CODE,
  PAYMENT_NOT_ACCEPTED: `Check that the wallet is funded. ${RETRY}`,
  GUARD_ABOVE_LIBRARY:
    'Put the guard below the library: wrapFetchWithPayment(guard.fetch(fetch), client); or set allowUnseen.',
  CONFIGURATION: 'Correct the named option.',
}
