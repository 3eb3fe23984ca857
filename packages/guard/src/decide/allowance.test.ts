import { describe, expect, test } from 'vitest'
import { createGuardError } from '../errors.ts'
import { REASONS, REMEDIES, type ReasonCode } from '../reasons.ts'
import { FRESH } from '../testing/decisions.ts'
import { HONEST } from '../testing/seller.ts'
import type { PaymentIntent } from '../types.ts'
import { allowanceOf, type RefusedPayment } from './allowance.ts'
import { type PolicyInput, parsePolicy } from './policySchema.ts'

const INTENT: PaymentIntent = {
  url: 'https://api.example.com/weather',
  endpoint: 'https://api.example.com/weather',
  host: 'api.example.com',
  method: 'GET',
  network: 'eip155:8453',
  asset: '0xA5',
  payTo: HONEST,
  scheme: 'exact',
  facilitator: null,
  amountAtomic: '250000',
  amountUsd: '0.25',
  maxTimeoutSeconds: 60,
}
const refused = (policy: PolicyInput = {}, change: Partial<RefusedPayment> = {}): RefusedPayment => ({
  policy: parsePolicy(policy),
  endpoint: INTENT.endpoint,
  intent: INTENT,
  verdict: null,
  ...change,
})

test('default: every code has a way to allow it, or none, or is a fault', () => {
  const sums = Object.entries(FRESH).map(([name, value]) => [name, value === 0n ? 900_000n : value])
  const view = {
    ...FRESH,
    ...Object.fromEntries(sums),
    hostPaymentsLastMinute: 1,
    identicalPaymentsLastMinute: 1,
  }
  const codes = Object.keys(REASONS) as ReasonCode[]
  const lines = codes.map((code) => `${code}: ${allowanceOf(code, refused({}, { view })) ?? '(a fault)'}`)
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "URL_INVALID: (a fault)
    URL_UNKNOWN: (a fault)
    REQUEST_INVALID: (a fault)
    INSECURE_HTTP: "allowInsecureHttp": true
    HOST_NOT_ALLOWED: "allowHosts" with "api.example.com"
    REDIRECT_REFUSED: (a fault)
    REDIRECT_AFTER_PAYMENT: (a fault)
    RESOURCE_MISMATCH: nothing
    CHALLENGE_MALFORMED: (a fault)
    CHALLENGE_EXPIRED: (a fault)
    PROTOCOL_NOT_SUPPORTED: (a fault)
    SCHEME_NOT_ALLOWED: (a fault)
    NETWORK_NOT_ALLOWED: (a fault)
    ASSET_NOT_ALLOWED: nothing
    DOMAIN_MISMATCH: nothing
    AMOUNT_INVALID: nothing
    AUTHORIZATION_TOO_LONG: (a fault)
    RECEIVER_NOT_ALLOWED: nothing
    RECEIVERS_CONFLICT: nothing
    VERDICT_AVOID: nothing
    VERDICT_CAUTION: "onCaution": "allow"
    VERDICT_UNKNOWN: "onUnknown": {"allowUpToUsd": "0.25", "maxPerDomainPerDayUsd": "0.25"}
    VERDICT_THIN: "onUnknown": {"allowUpToUsd": "0.25", "maxPerDomainPerDayUsd": "0.25"}
    VERDICT_UNAVAILABLE: (a fault)
    SCORE_TOO_LOW: "minScore": 0
    DELIVERY_NOT_PROVEN: "requireDeliveryAboveUsd": "0.25"
    RECEIVER_NOT_CHECKED: nothing
    TERMS_NOT_CHECKED: nothing
    PRICE_ABOVE_CHECKED: nothing
    RECEIVER_PIN_MISMATCH: nothing
    RISK_TOO_HIGH: nothing
    OVER_ASK_LIMIT: "hosts": {"api.example.com": {"askAboveUsd": "0.25"}}
    TERMS_NOT_USUAL: nothing
    PRICE_NOT_USUAL: (a fault)
    PAYMENT_PENDING: (a fault)
    PAYMENT_UNRESOLVED: (a fault)
    NO_ANSWER: (a fault)
    PAYMENT_SETTLED: (a fault)
    NO_DELIVERY_STRIKE: touchstone strikes --clear api.example.com
    TOO_MANY_PAYMENTS: "velocity": {"perHostPerMinute": 2}
    PAYMENT_LOOP: "velocity": {"identicalPerMinute": 2}
    STOPPED: (a fault)
    OVER_CALL_LIMIT: maxUsd "0.25" of the call
    OVER_PAYMENT_LIMIT: "hosts": {"api.example.com": {"maxPerPaymentUsd": "0.25"}}
    OVER_TASK_LIMIT: maxUsd "1.15" of the task
    OVER_HOST_DAY_LIMIT: "hosts": {"api.example.com": {"maxPerDayUsd": "1.15"}}
    OVER_RECEIVER_DAY_LIMIT: "maxPerReceiverPerDayUsd": "1.15"
    OVER_UNKNOWN_DOMAIN_LIMIT: "onUnknown": {"maxPerDomainPerDayUsd": "1.15"}
    OVER_UNKNOWN_DAY_LIMIT: "onUnknown": {"maxPerDayUsd": "1.15"}
    OVER_NEW_SELLER_LIMIT: "hosts": {"api.example.com": {"maxPerPaymentUsd": "0.25"}}
    OVER_NEW_SELLER_DAY_LIMIT: "hosts": {"api.example.com": {}}
    OVER_NEW_SELLERS_DAY_LIMIT: "hosts": {"api.example.com": {}}
    OVER_DAY_LIMIT: "maxPerDayUsd": "1.15"
    OVER_TOTAL_LIMIT: "maxTotalUsd": "1.15"
    LEDGER_FAILED: (a fault)
    PAYMENT_MALFORMED: (a fault)
    CREDENTIAL_NOT_READ: (a fault)
    NO_INTENT: (a fault)
    OFFER_CHANGED: (a fault)
    SIGNATURE_INVALID: (a fault)
    WALLET_REFUSED: (a fault)
    SIGNED_TOO_LATE: (a fault)
    SIGNING_REFUSED: (a fault)
    PAYMENT_NOT_ACCEPTED: (a fault)
    GUARD_ABOVE_LIBRARY: (a fault)
    CONFIGURATION: (a fault)"
  `)
})

test('behavior: where nothing allows a payment, its remedy names no method, option or command', () => {
  const codes = Object.keys(REASONS) as ReasonCode[]
  const barred = codes.filter((code) => allowanceOf(code, refused({})) === 'nothing')
  expect(barred).toContain('RECEIVER_PIN_MISMATCH')
  for (const code of barred) expect(REMEDIES[code]).not.toMatch(/["`()=]|guard\.|--|touchstone /)
})

describe('the hint of a refusal', () => {
  test('behavior: names the denied entry, and the entry of the host', () => {
    expect(allowanceOf('HOST_NOT_ALLOWED', refused({ denyHosts: ['*.example.com'] }))).toBe(
      '"denyHosts" without "*.example.com"',
    )
    const hosts = { '*.example.com': { maxPerPaymentUsd: '0.10' } }
    expect(allowanceOf('OVER_PAYMENT_LIMIT', refused({ hosts }))).toBe(
      '"hosts": {"*.example.com": {"maxPerPaymentUsd": "0.25"}}',
    )
  })

  test('behavior: a limit of payments in a minute is a number, also where no sums are known', () => {
    expect(allowanceOf('TOO_MANY_PAYMENTS', refused())).toBe('"velocity": {"perHostPerMinute": 1}')
    expect(allowanceOf('PAYMENT_LOOP', refused())).toBe('"velocity": {"identicalPerMinute": 1}')
    expect(allowanceOf('OVER_DAY_LIMIT', refused())).toBe('"maxPerDayUsd": "0.25"')
  })

  test('behavior: names the list of verdicts that refuses it', () => {
    expect(allowanceOf('VERDICT_UNKNOWN', refused({ block: ['unknown'] }))).toBe('"block" without "unknown"')
    expect(allowanceOf('VERDICT_CAUTION', refused({ block: ['caution'] }))).toBe('"block" without "caution"')
  })

  test('behavior: is in the message and the details, and not in what a model reads', () => {
    const allowedBy = '"maxPerDayUsd": "5.15"'
    const facts = { allowedBy }
    const error = createGuardError('OVER_DAY_LIMIT', { details: 'It is $0.25.', intent: INTENT, facts })
    expect(error.message).toBe(
      'The payment would exceed the daily budget. It is $0.25. Nothing was signed. To allow it: "maxPerDayUsd": "5.15"',
    )
    expect(error.details).toBe('It is $0.25. To allow it: "maxPerDayUsd": "5.15"')
    expect(error.modelMessage).toBe(
      'The payment would exceed the daily budget. It is $0.25. Nothing was signed.',
    )
    expect(`${error.modelMessage} ${error.remedy}`).not.toMatch(/maxPer|hosts|askAbove|priceFactor/)
  })
})
