import { sameAddress } from '@touchstone402/shared'
import type { Report } from '../errors.ts'
import type { OfferCode, ReasonCode } from '../reasons.ts'
import { type Approval, findHolder, fitsApproval } from './approvals.ts'
import { identifyBody } from './calls/identifyCall.ts'
import type { CallRequest } from './calls/request.ts'
import { type GuardContext, refuse } from './guardContext.ts'
import { carriesX402, decodePayment } from './payment.ts'
import { factsOf } from './paymentFacts.ts'
import type { SignedPayment } from './scheme.ts'
import type { Authorization } from './signatures/authorization.ts'
import type { Doubt } from './signatures/contractWallet.ts'
import { doubtSignature } from './signatures/doubtSignature.ts'

/**
 * Takes the approval that equals the payment of a request.
 * @throws OfferMismatchError before anything is sent
 */
export async function takeApproval(
  context: GuardContext,
  request: CallRequest,
): Promise<{ open: Approval; authorization: Authorization }> {
  const { method, url, headers } = request
  const sent = await identifyBody(request)
  // No await from here to the claim of the approval.
  const ofCall = context.approvals.ofCall(method, url)
  const open = ofCall.filter(({ body }) => body === null || body === sent)
  const traceparent = headers.get('traceparent')
  const no = (code: OfferCode | Extract<ReasonCode, 'SIGNED_TOO_LATE'>, first = open[0], why: Doubt = {}) => {
    const facts = first && { payment: signedFact(context, first) }
    return refuse(context, code, {
      method,
      traceparent,
      intent: first?.intent,
      verdict: first?.verdict,
      facts,
      ...why,
    })
  }
  const payment = decodePayment(headers, context.schemes)
  if (payment === undefined) throw no(carriesX402(headers) ? 'PAYMENT_MALFORMED' : 'CREDENTIAL_NOT_READ')
  if (open.length === 0 && ofCall.length > 0) throw no('OFFER_CHANGED', ofCall[0], { details: OTHER_BODY })
  if (open.length === 0) throw no('NO_INTENT')
  // Concurrent calls to a URL are indistinguishable here, so the signal of one must not end the payment of another.
  if (open.length > 1) for (const one of open) one.asked = null
  const fitting = chooseApproval(context, open, payment)
  if (fitting === undefined) {
    // Loaded with the first such payment, since libraries sign what was approved.
    const { explainUnfit } = await import('./explainUnfit.ts')
    const { code, late, doubt = {} } = await explainUnfit(context, open, payment)
    throw no(code, late, doubt)
  }
  // Taken before the signature check, which may wait for an RPC: two copies never share one approval.
  if (!context.approvals.take(fitting, payment.authorization)) throw no('NO_INTENT')
  const doubt = await doubtSignature(context, fitting, payment)
  if (doubt === null) {
    exchangeWith(findHolder(context.approvals, payment.authorization), fitting, payment.authorization)
    return { open: fitting, authorization: payment.authorization }
  }
  context.approvals.putBack(fitting, payment.authorization)
  throw no('SIGNATURE_INVALID', fitting, doubt)
}

const OTHER_BODY = 'The body of the request is not the one that was approved.'

/** Describes an approved payment that was signed, for errors. */
export function signedFact({ ledger }: GuardContext, { paymentId: id, intent }: Approval): Report {
  const entry = ledger.find(id)
  const { amountUsd, payTo: to } = intent
  return entry
    ? factsOf(entry, intent, {}).payment
    : { id, amountUsd, to, state: 'signed', retryResends: false, isRepeat: false }
}

function chooseApproval(
  { approvals, now }: GuardContext,
  open: readonly Approval[],
  payment: SignedPayment,
): Approval | undefined {
  const fitting = open.filter((approval) => fitsPayment(approval, payment, now()))
  const holder = findHolder(approvals, payment.authorization)
  if (holder === undefined) return fitting.find(({ signed }) => signed === null)
  return fitting.includes(holder) ? holder : fitting[0]
}

// The guarded account cannot know for which of several calls on equal terms it signs. If it took the approval of
// another call, the two approvals exchange what was signed for them.
function exchangeWith(holder: Approval | undefined, taken: Approval, authorization: Authorization): void {
  if (holder === undefined) return
  holder.signed = taken.signed
  taken.signed = authorization
}

/** Whether a payment matches an approval exactly. `now` is Unix time in ms. */
export function fitsPayment(open: Approval, payment: SignedPayment, now: number): boolean {
  const { offer } = open
  const { authorization, network, asset, scheme, answers } = payment
  return (
    (answers === undefined ? offer.other === undefined && network === offer.network : answers(open)) &&
    scheme === open.scheme &&
    (asset === null || sameAddress(asset, offer.asset)) &&
    fitsApproval(open, authorization, now)
  )
}
