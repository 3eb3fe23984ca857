import type { CallQuery } from '../ledger/ledger.ts'
import { ANY_BODY } from '../ledger/pending.ts'
import { readUrl } from '../readUrl.ts'
import type { FetchLike } from '../types.ts'
import { exchange } from './exchange.ts'
import type { GuardContext } from './guardContext.ts'
import { callOf, identifyCall } from './identifyCall.ts'
import { findHolder } from './intents.ts'
import { decodePayment, readPaymentHeader } from './payment.ts'
import { checkResend, findResendable, type Resendable } from './pendingPayment.ts'
import { type CallRequest, redirectManually } from './request.ts'

/**
 * Sends the unresolved payment of a call again, to the URL for which it was approved.
 * @throws GuardError if the policy has come to deny it, or after an invalid response
 */
export async function resend(
  context: GuardContext,
  inner: FetchLike,
  request: CallRequest,
  pending: Resendable,
): Promise<Response> {
  const { entry, payment } = pending
  const traceparent = request.headers.get('traceparent')
  const { intent, verdict } = await checkResend(context, pending, traceparent)
  context.emit({ type: 'resent', intent, verdict, traceparent })
  const headers = new Headers(request.headers)
  headers.set(payment.header, payment.value)
  const sent = { intent, verdict, traceparent, reservation: entry.id }
  return exchange(context, inner, request, sent, redirectManually(request, payment.url, headers))
}

/** Finds a payment to attach to a request that carries none. Reads its body only if its URL has an unresolved payment. */
export async function findForRetry(
  context: GuardContext,
  request: CallRequest,
  payer: string | null,
): Promise<Resendable | undefined> {
  const { method, url, callKey } = request
  const canonical = readUrl(url)
  if (typeof canonical === 'string') return undefined
  const call = callOf(method, url, canonical.key)
  const any: CallQuery = { call, once: { body: ANY_BODY, callKey, payer } }
  if (context.ledger.findPending(any, context.now()) === undefined) return undefined
  return findResendable(context, { call, once: await identifyCall(request, payer) })
}

/** Returns the unresolved payment of a call if a request carries just that, as retries below the library do. */
export async function isSamePayment(
  context: GuardContext,
  request: CallRequest,
): Promise<Resendable | undefined> {
  const payment = decodePayment(request.headers, context.schemes)
  // Its first send: another seat has recorded it already.
  if (payment !== undefined && findHolder(context.intents, payment.authorization)) return undefined
  const pending = await findForRetry(context, request, null)
  const { header, value } = readPaymentHeader(request.headers)
  return pending?.payment.header === header && pending.payment.value === value ? pending : undefined
}
