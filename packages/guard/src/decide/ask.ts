import type { ReasonCode } from '../reasons.ts'
import type { CheckedVerdict, PaymentIntent } from '../types.ts'
import type { BodyDescription } from './describeBody.ts'

/**
 * The usual price of an endpoint, or of other endpoints of its host.
 * @example
 * const text = ({ usd, paidAt }: PriceBefore) => `$${usd}, last on ${paidAt}`
 */
export type PriceBefore = {
  /** Decimal dollars, such as `0.01`. */
  usd: string
  /** Whether it was paid at this endpoint; otherwise at other endpoints of the host. */
  isHere: boolean
  /** ISO time of the last payment there; null if it is not recorded. */
  paidAt: string | null
}

/**
 * A payment that needs approval.
 * @example
 * const text = ({ intent, reason }: Question) => `${reason} Pay $${intent.amountUsd} to ${intent.host}?`
 */
export type Question = {
  intent: PaymentIntent
  /** Why the policy alone does not decide. */
  code: ReasonCode
  /** The sentence of the code. */
  reason: string
  verdict: CheckedVerdict | null
  /** Values of this payment in a sentence, such as the price of before and of now; null where the code says all. */
  details: string | null
  /** Earlier payments: the receiver pinned at this endpoint, and the price. Null if nothing was paid yet. */
  before: { payTo: string | null; price: PriceBefore | null }
  /** The least of what remains of the budgets that the payment counts in, in dollars. */
  remainingUsd: string
  /** The body of the request; null without one, or if it cannot be read twice. */
  body: BodyDescription | null
}

/**
 * Approves a payment by returning true. Any other result, an error or a timeout refuses it.
 * @example
 * const ask: AskHandler = ({ intent }) => Number(intent.amountUsd) < 0.05
 */
export type AskHandler = (question: Question) => Promise<boolean> | boolean
