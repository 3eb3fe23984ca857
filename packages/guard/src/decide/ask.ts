import { withDeadline } from '../deadline.ts'
import type { Count } from '../events.ts'
import { REASONS, type ReasonCode } from '../reasons.ts'
import type { CheckedVerdict, PaymentIntent } from '../types.ts'

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
