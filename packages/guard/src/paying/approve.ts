import type { Offer } from '@touchstone402/shared'
import { hasWildcards } from '../decide/hosts.ts'
import { type Passed, screen } from '../decide/screen.ts'
import { isGuardError, type Report } from '../errors.ts'
import type { ReserveResult } from '../ledger/ledger.ts'
import { APPROVAL_LIFETIME_MS } from '../ledger/pending.ts'
import { markCheck } from '../paymentOf.ts'
import type { ReasonCode } from '../reasons.ts'
import type { PaymentIntent } from '../types.ts'
import type { Approval } from './approvals.ts'
import { withoutFragment } from './calls/request.ts'
import type { GuardContext } from './guardContext.ts'
import { type Judgement, judge, queryOf } from './judge.ts'
import { refusePending } from './paymentFacts.ts'
import { type Earlier, findUnresolved } from './pendingPayment.ts'
import { type ChallengedCall, type ReadCall, readCall } from './readCall.ts'
import type { PaymentScheme } from './scheme.ts'
import { hasExtension, releaseApproval } from './settlement.ts'

/** The result of an equal call, and the live check that this call bought anyway. */
type Overlapped = Earlier & { liveCheck?: Report | undefined }

/**
 * Decides on a challenge for an integration that cannot send a payment again.
 * @throws GuardError before anything is signed; PAYMENT_PENDING if the call has an unresolved payment
 */
export async function approveNew(context: GuardContext, call: ChallengedCall): Promise<Approval> {
  const result = (await approve(context, call)) as Exclude<Approval | Overlapped, { answer: Response }>
  if ('paymentId' in result) return result
  const { payment } = result
  if (!context.flights.has(payment.id))
    await (await import('./unanswered/resolveExpired.ts')).noteFault(context, payment)
  throw refusePending(context, payment, 'PAYMENT_PENDING', call.traceparent)
}

/**
 * Decides on a challenge. If it may be paid, reserves the amount and opens a one-shot approval. Returns the unresolved
 * payment of the call instead, if there is one, or the answer that an equal call at the same time has paid for.
 * @throws GuardError before anything is signed; the reason of an abort
 */
export async function approve(context: GuardContext, given: ChallengedCall): Promise<Approval | Overlapped> {
  const call = readCall(context, given)
  if ('code' in call) throw (await refusing()).refuseCall(context, call.code, call.facts)
  const passed = await screenOffers(context, call)
  await onLedger(context, call, context.closeExpired())
  const earlier = await findEarlier(context, call)
  if (earlier !== null) return earlier
  const judged = await judge(context, call, passed)
  const refusal = await askIfNeeded(context, call, judged)
  if (refusal !== null) throw (await refusing()).refuseJudged(context, call, judged, refusal)
  const later = { ...call, liveCheck: judged.liveCheck }
  // While the verdict was awaited, an equal call may have been approved, paid and answered.
  if (context.flights.find(call.query, call.begun) !== undefined) {
    const overlapping = await findEarlier(context, later)
    if (overlapping !== null) return overlapping
  }
  const reserved = await reserve(context, call, judged)
  if (reserved.ok) return openApproval(context, call, judged, reserved.id)
  // A concurrent equal call was faster.
  if (reserved.code === 'PAYMENT_PENDING') return approve(context, later)
  // A concurrent call may have spent the budget since the decision.
  throw (await refusing()).refuseJudged(context, call, judged, reserved.code)
}

// Loaded with the first refusal.
const refusing = () => import('./refuseOffer.ts')

/** Screens the offers by the policy alone: the service does not learn of calls that it refuses. @throws GuardError */
async function screenOffers(
  context: GuardContext,
  { canonical, challenge, facts }: ReadCall,
): Promise<Passed> {
  const { policy } = context
  if (hasWildcards(policy))
    (await import('../decide/sharedHosting.ts')).refuseSharedHosting(policy, canonical)
  const screened = screen(policy, canonical, challenge)
  if (!('code' in screened)) return screened
  throw (await refusing()).refuseScreened(context, screened, challenge, facts)
}

/** Waits for the ledger, without which nothing is paid. @throws GuardError; the reason of an abort */
async function onLedger<T>(context: GuardContext, { signal, facts }: ReadCall, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    if (isGuardError(cause)) throw cause
    throw (await refusing()).refuseCall(context, 'LEDGER_FAILED', { ...facts, cause })
  }
}

/** Finds what an equal call has paid for; null if there is nothing. @throws GuardError; the reason of an abort */
async function findEarlier(context: GuardContext, call: ReadCall): Promise<Overlapped | null> {
  const { liveCheck } = call
  const earlier = await onLedger(context, call, findUnresolved(context, call))
  if (earlier === null) return null
  if ('answer' in earlier && liveCheck !== undefined) markCheck(earlier.answer, liveCheck)
  return { ...earlier, liveCheck }
}

/** Asks a person if the decision is left to one. Returns why the payment is refused; null if it is not. */
async function askIfNeeded(
  context: GuardContext,
  call: ReadCall,
  judged: Judgement,
): Promise<ReasonCode | null> {
  const { decision } = judged
  if (decision.outcome === 'allow') return null
  if (decision.outcome !== 'ask') return decision.code
  // Loaded with the first question, since few payments need approval.
  const { askPerson } = await import('./askPerson.ts')
  return (await askPerson(context, call, judged, decision.code)) ? null : decision.code
}

/** Reserves the amount, unless it exceeds a limit by now. @throws GuardError; the reason of an abort */
async function reserve(
  context: GuardContext,
  call: ReadCall,
  { decision, limits }: Judgement,
): Promise<ReserveResult> {
  const { chosen } = decision
  call.signal?.throwIfAborted()
  const reservation = {
    ...queryOf(context, call, chosen),
    once: call.once,
    at: context.now(),
    amountAtomic: chosen.offer.amountAtomic,
    usdMicros: chosen.usdMicros,
    // A person who approves a payment vouches for it.
    isVouched: decision.outcome !== 'allow' || decision.isVouched,
  }
  return onLedger(context, call, context.ledger.reserve(reservation, limits))
}

/** Opens the approval of a reserved payment. @throws the reason of an abort */
async function openApproval(
  context: GuardContext,
  call: ReadCall,
  { decision: { chosen }, intent, verdict, liveCheck }: Judgement,
  paymentId: string,
): Promise<Approval> {
  const { flights, approvals, keepUrls, now } = context
  const { challenge, url, requestedUrl, requestedMethod, body, claimed, asked, audience, traceparent } = call
  const { offer } = chosen
  const open: Approval = {
    ...chosen,
    intent,
    url: withoutFragment(url),
    verdict,
    scheme: schemeOf(context, offer.other, intent),
    paymentId,
    payer: call.once.payer,
    requestedUrl: withoutFragment(requestedUrl),
    requestedMethod,
    openedAt: now(),
    expiresAt: now() + APPROVAL_LIFETIME_MS,
    signed: null,
    isSeen: asked !== null,
    body,
    claimed,
    liveCheck,
    asked,
    audience,
    traceparent,
  }
  approvals.open(open)
  if (call.signal?.aborted) {
    await releaseApproval(context, open)
    throw call.signal.reason
  }
  if (asked !== null) flights.takeOff(paymentId)
  // Loaded with the first signed offer, since few sellers sign.
  const offerProof = hasExtension(challenge[offer.source], 'offer-receipt')
    ? await (await import('./offerReceipt.ts')).readOfferProof(challenge, offer, intent, keepUrls)
    : null
  context.emit({ type: 'allowed', intent, verdict, paymentId, traceparent, offerProof })
  return open
}

function schemeOf(
  { schemes }: GuardContext,
  other: Offer['other'],
  { scheme }: PaymentIntent,
): PaymentScheme {
  return (other === undefined ? schemes[scheme] : schemes.mpp?.schemeOf(other)) ?? schemes.exact
}
