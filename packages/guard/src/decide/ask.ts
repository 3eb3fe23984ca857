import type { Count } from '../events.ts'
import type { ReasonCode } from '../reasons.ts'
import { REASONS } from '../reasons.ts'
import type { CheckedVerdict, PaymentIntent } from '../types.ts'

/** What somebody is asked to approve. */
export type Question = {
  intent: PaymentIntent
  /** Why the policy does not decide it alone. */
  code: ReasonCode
  /** The sentence that belongs to the code. */
  reason: string
  verdict: CheckedVerdict | null
}

/** Approves a payment by answering true; anything else, an error or silence is a no. */
export type AskHandler = (question: Question) => Promise<boolean> | boolean

/** Asks the handler, if there is one, and takes silence until the deadline for a no. */
export async function askWithDeadline(
  context: { ask: AskHandler | null; askTimeoutMs: number; count: Count },
  question: Omit<Question, 'reason'>,
): Promise<boolean> {
  const { ask, askTimeoutMs, count } = context
  if (ask === null) return false
  count('asked')
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), askTimeoutMs)
  })
  try {
    const answer = Promise.resolve(ask({ ...question, reason: REASONS[question.code] }))
    const isApproved = (await Promise.race([answer, silence])) === true
    if (isApproved) count('approved')
    return isApproved
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
