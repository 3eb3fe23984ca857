import { describe, expect, test } from 'vitest'
import { createGuardError, isGuardError } from './errors.ts'
import { REASONS, type ReasonCode } from './reasons.ts'

describe('createGuardError', () => {
  test('default: maps every code to its class and sentence', () => {
    const codes = Object.keys(REASONS) as ReasonCode[]
    const lines = codes.map((code) => `${createGuardError(code).name} ${code}`)
    expect(lines.toSorted()).toMatchInlineSnapshot(`
      [
        "BudgetExceededError OVER_CALL_LIMIT",
        "BudgetExceededError OVER_DAY_LIMIT",
        "BudgetExceededError OVER_HOST_DAY_LIMIT",
        "BudgetExceededError OVER_NEW_SELLERS_DAY_LIMIT",
        "BudgetExceededError OVER_NEW_SELLER_DAY_LIMIT",
        "BudgetExceededError OVER_NEW_SELLER_LIMIT",
        "BudgetExceededError OVER_PAYMENT_LIMIT",
        "BudgetExceededError OVER_RECEIVER_DAY_LIMIT",
        "BudgetExceededError OVER_TASK_LIMIT",
        "BudgetExceededError OVER_TOTAL_LIMIT",
        "BudgetExceededError OVER_UNKNOWN_DAY_LIMIT",
        "BudgetExceededError OVER_UNKNOWN_DOMAIN_LIMIT",
        "BudgetExceededError PAYMENT_LOOP",
        "BudgetExceededError TOO_MANY_PAYMENTS",
        "ConfigurationError CONFIGURATION",
        "OfferMismatchError CREDENTIAL_NOT_READ",
        "OfferMismatchError NO_INTENT",
        "OfferMismatchError OFFER_CHANGED",
        "OfferMismatchError PAYMENT_MALFORMED",
        "OfferMismatchError SIGNATURE_INVALID",
        "OfferMismatchError SIGNING_REFUSED",
        "PaymentBlockedError AMOUNT_INVALID",
        "PaymentBlockedError ASSET_NOT_ALLOWED",
        "PaymentBlockedError AUTHORIZATION_TOO_LONG",
        "PaymentBlockedError CHALLENGE_EXPIRED",
        "PaymentBlockedError CHALLENGE_MALFORMED",
        "PaymentBlockedError DELIVERY_NOT_PROVEN",
        "PaymentBlockedError DOMAIN_MISMATCH",
        "PaymentBlockedError GUARD_ABOVE_LIBRARY",
        "PaymentBlockedError HOST_NOT_ALLOWED",
        "PaymentBlockedError INSECURE_HTTP",
        "PaymentBlockedError LEDGER_FAILED",
        "PaymentBlockedError NETWORK_NOT_ALLOWED",
        "PaymentBlockedError NO_ANSWER",
        "PaymentBlockedError NO_DELIVERY_STRIKE",
        "PaymentBlockedError OVER_ASK_LIMIT",
        "PaymentBlockedError PAYMENT_NOT_ACCEPTED",
        "PaymentBlockedError PAYMENT_PENDING",
        "PaymentBlockedError PAYMENT_SETTLED",
        "PaymentBlockedError PAYMENT_UNRESOLVED",
        "PaymentBlockedError PRICE_ABOVE_CHECKED",
        "PaymentBlockedError PRICE_NOT_USUAL",
        "PaymentBlockedError PROTOCOL_NOT_SUPPORTED",
        "PaymentBlockedError RECEIVERS_CONFLICT",
        "PaymentBlockedError RECEIVER_NOT_ALLOWED",
        "PaymentBlockedError RECEIVER_NOT_CHECKED",
        "PaymentBlockedError RECEIVER_PIN_MISMATCH",
        "PaymentBlockedError REDIRECT_AFTER_PAYMENT",
        "PaymentBlockedError REDIRECT_REFUSED",
        "PaymentBlockedError REQUEST_INVALID",
        "PaymentBlockedError RESOURCE_MISMATCH",
        "PaymentBlockedError RISK_TOO_HIGH",
        "PaymentBlockedError SCHEME_NOT_ALLOWED",
        "PaymentBlockedError SCORE_TOO_LOW",
        "PaymentBlockedError SIGNED_TOO_LATE",
        "PaymentBlockedError STOPPED",
        "PaymentBlockedError TERMS_NOT_CHECKED",
        "PaymentBlockedError TERMS_NOT_USUAL",
        "PaymentBlockedError URL_INVALID",
        "PaymentBlockedError URL_UNKNOWN",
        "PaymentBlockedError VERDICT_AVOID",
        "PaymentBlockedError VERDICT_CAUTION",
        "PaymentBlockedError VERDICT_THIN",
        "PaymentBlockedError VERDICT_UNKNOWN",
        "PaymentBlockedError WALLET_REFUSED",
        "VerdictUnavailableError VERDICT_UNAVAILABLE",
      ]
    `)
  })

  test('behavior: recognises errors of another copy of this package', () => {
    const other = new Error('from another copy')
    Object.defineProperty(other, Symbol.for('touchstone402.guard.error'), { value: true })
    expect([createGuardError('NO_INTENT'), other].map(isGuardError)).toEqual([true, true])
    expect([new Error('x'), null, 'NO_INTENT', { code: 'NO_INTENT' }].map(isGuardError)).toEqual([
      false,
      false,
      false,
      false,
    ])
  })
})
