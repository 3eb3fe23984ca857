import { withDeadline } from '../deadline.ts'
import type { Count } from '../events.ts'
import { REASONS, type ReasonCode } from '../reasons.ts'
import type { CheckedVerdict, PaymentIntent } from '../types.ts'
import type { BodyDescription } from './describeBody.ts'

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
  /** The receiver pinned at this endpoint, and the usual price there in dollars; null if nothing was paid yet. */
  before: { payTo: string | null; usualUsd: string | null }
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

/** Calls the handler, if any; a timeout counts as a refusal. */
export async function askWithDeadline(
  context: { ask: AskHandler | null; askTimeoutMs: number; count: Count },
  question: Omit<Question, 'reason'>,
): Promise<boolean> {
  const { ask, askTimeoutMs, count } = context
  if (ask === null) return false
  count('asked')
  try {
    const answer = () => ask({ ...question, reason: REASONS[question.code] })
    const isApproved = (await withDeadline(answer, askTimeoutMs)) === true
    if (isApproved) count('approved')
    return isApproved
  } catch {
    return false
  }
}
