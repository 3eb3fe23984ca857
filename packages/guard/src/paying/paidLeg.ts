import { sameAddress } from '@touchstone402/shared'
import type { OfferCode } from '../reasons.ts'
import type { FetchLike } from '../types.ts'
import { exchange } from './exchange.ts'
import type { GuardContext } from './guardContext.ts'
import { findHolder, fitsIntent, type OpenIntent } from './intents.ts'
import { decodePayment, type OutgoingPayment, readPaymentHeader } from './payment.ts'
import { refuse } from './refuse.ts'
import { type CallRequest, redirectManually } from './request.ts'
import { isSamePayment, resend } from './resend.ts'
import { recordSent } from './settlement.ts'
import type { Authorization } from './signatures/authorization.ts'
import { type Doubt, doubtSignature } from './signatures/doubtSignature.ts'

/**
 * Sends a payment if it equals an approved one, and records the result.
 * @throws OfferMismatchError before anything is sent; PaymentBlockedError after an invalid response to a sent
 * payment, whose amount then counts as spent
 */
export async function payOnce(
  context: GuardContext,
  inner: FetchLike,
  request: CallRequest,
): Promise<Response> {
  await context.closeExpired()
  if (await context.ledger.isStopped()) throw refuse(context, 'STOPPED', { method: request.method })
  const known = await isSamePayment(context, request)
  if (known !== undefined) return resend(context, inner, request, known)
  const { open, authorization } = await takeIntent(context, request)
  const { intent, verdict, traceparent } = open
  const payment = { url: open.url, ...readPaymentHeader(request.headers) }
  await recordSent(context, open, authorization, payment)
  const sent = { intent, verdict, traceparent, reservation: open.reservation, asked: open.asked }
  return exchange(context, inner, request, sent, redirectManually(request, open.url))
}

/** Takes the approved intent that equals the payment of a request. */
export async function takeIntent(
  context: GuardContext,
  { method, url, headers }: Pick<CallRequest, 'method' | 'url' | 'headers'>,
): Promise<{ open: OpenIntent; authorization: Authorization }> {
  const open = context.intents.ofCall(method, url)
  const traceparent = headers.get('traceparent')
  const no = (code: OfferCode, first = open[0], why: Doubt = {}) =>
    refuse(context, code, { method, traceparent, intent: first?.intent, verdict: first?.verdict, ...why })
  const payment = decodePayment(headers, context.schemes)
  if (payment === undefined) throw no('PAYMENT_MALFORMED')
  if (open.length === 0) throw no('NO_INTENT')
  // Nothing says which of several calls to a URL pays, so none of their signals may end the payment of another.
  if (open.length > 1) for (const one of open) one.asked = null
  const fitting = chooseIntent(context, open, payment)
  if (fitting === undefined) throw no('OFFER_CHANGED')
  // Taken before the signature check, which may wait for an RPC: two copies never share one intent.
  if (!context.intents.take(fitting, payment.authorization)) throw no('NO_INTENT')
  const doubt = await doubtSignature(context, fitting, payment)
  if (doubt === null) return { open: fitting, authorization: payment.authorization }
  context.intents.putBack(fitting, payment.authorization)
  throw no('SIGNATURE_INVALID', fitting, doubt)
}

// The guarded account cannot know for which of several calls on equal terms it signs. If it took the intent of
// another call, the two intents swap their authorizations.
function chooseIntent(
  { intents, now }: GuardContext,
  open: readonly OpenIntent[],
  payment: OutgoingPayment,
): OpenIntent | undefined {
  const fitting = open.filter((intent) => fitsPayment(intent, payment, now()))
  const holder = findHolder(intents, payment.authorization)
  if (holder === undefined) return fitting.find(({ signed }) => signed === null)
  const chosen = fitting.includes(holder) ? holder : fitting[0]
  if (chosen !== undefined && chosen !== holder) {
    holder.signed = chosen.signed
    chosen.signed = payment.authorization
  }
  return chosen
}

function fitsPayment(open: OpenIntent, payment: OutgoingPayment, now: number): boolean {
  const { intent } = open
  const { authorization, network, asset, scheme } = payment
  return (
    network === intent.network &&
    scheme.name === intent.scheme &&
    (asset === null || sameAddress(asset, intent.asset)) &&
    fitsIntent(open, authorization, now)
  )
}
