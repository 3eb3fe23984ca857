import { createGuardError, type GuardError, type GuardErrorDetails } from '../../errors.ts'
import type { ReasonCode } from '../../reasons.ts'
import { isOneTime } from '../calls/request.ts'
import type { GuardContext } from '../guardContext.ts'
import { factsOf } from '../paymentFacts.ts'
import { type Answer, recordSettlement } from '../settlement.ts'

/** The weight of a fault: a mild one is a strike only while an earlier one is not cleared by deliveries. */
type Fault = 'none' | 'mild' | 'strike'
type Loss = Pick<GuardErrorDetails, 'details' | 'cause'> & { remedy?: string }

/** Records that a sent payment has no answer, and returns the error to throw. */
export async function fail(
  context: GuardContext,
  sent: Answer,
  code: ReasonCode,
  fault: Fault,
  loss: Loss = {},
): Promise<GuardError> {
  // A seller that has answered a payment may refuse to answer it twice.
  if (fault !== 'none' && !context.flights.has(sent.paymentId)) {
    // A 402 is a 4xx, which an agent can cause: it bars nobody else.
    const isOwn = code !== 'NO_ANSWER' && code !== 'REDIRECT_AFTER_PAYMENT'
    const change = { delivered: false, isMild: fault === 'mild', isOwn }
    await context.ledger.update(sent.paymentId, change).catch(() => {})
  }
  await recordSettlement(context, sent, null)
  return lossOf(context, sent, code, loss)
}

/** Records that no head of an answer came, and returns the error to throw. */
export async function loseAnswer(
  context: GuardContext,
  sent: Answer,
  cause: unknown,
  isAborted: boolean,
): Promise<GuardError> {
  const fault = isTimeout(cause) ? (hadTime(context, sent) ? 'mild' : 'none') : 'strike'
  // An abort by the caller is no fault of the endpoint, but the money may be gone.
  return fail(context, sent, 'NO_ANSWER', isAborted ? 'none' : fault, { cause })
}

/** Records that the body of an answer broke off: before its first byte if it `isSilent`. */
export async function noteBreak(
  context: GuardContext,
  sent: Answer,
  cause: unknown,
  isSilent: boolean,
): Promise<void> {
  const isMild = isTimeout(cause)
  // What had begun to come may be a stream that the transport has ended.
  if (isMild && !(isSilent && hadTime(context, sent))) return
  await context.ledger.update(sent.paymentId, { delivered: false, isMild }).catch(() => {})
}

/** Whether a transport has ended an exchange by its own limit. */
const isTimeout = (cause: unknown): boolean => (cause as Error | null)?.name === 'TimeoutError'

/** Whether a seller had all the time to answer that its offer asks for. */
function hadTime({ ledger, now }: GuardContext, { paymentId }: Answer): boolean {
  const until = ledger.find(paymentId)?.until ?? null
  return until !== null && now() >= until * 1000
}

/** Returns the error of a payment without an answer, with what is known of it. */
export async function lossOf(
  { ledger }: GuardContext,
  sent: Answer,
  code: ReasonCode,
  { remedy, ...loss }: Loss,
): Promise<GuardError> {
  const { intent, verdict, paymentId } = sent
  const entry = ledger.find(paymentId)
  const stored = await ledger.readPayment(paymentId).catch(() => null)
  // A body that can be read only once equals no other, so a repeat is a new call.
  const isOnce = isOneTime(sent.asked?.init?.body)
  const { liveCheck, isRepeat } = sent
  const retryResends = stored !== null && entry?.answered === false && !isOnce
  const known = entry && factsOf(entry, intent, { retryResends, isRepeat })
  const facts = known && { ...known, ...(liveCheck && { liveCheck }), ...(remedy && { remedy }) }
  return createGuardError(code, { ...loss, intent, verdict: verdict ?? undefined, facts })
}
