import { sameAddress } from '@touchstone402/shared'
import { createGuardError } from '../errors.ts'
import type { OfferCode } from '../reasons.ts'
import type { FetchLike } from '../types.ts'
import { type Authorization, hashAuthorization, recoverSigner } from './authorization.ts'
import { bytesToHex } from './bytes.ts'
import { watchDelivery } from './delivery.ts'
import type { GuardContext } from './guardContext.ts'
import { findHolder, fitsIntent, type OpenIntent } from './intents.ts'
import { decodePayment, type OutgoingPayment } from './payment.ts'
import { readChallenge } from './readChallenge.ts'
import { refuse } from './refuse.ts'
import { headerOf, isAborted, methodOf, redirectManually, urlOf } from './request.ts'
import { readReceipt, recordSent, recordSettlement } from './settlement.ts'

/** A request that carries a payment. */
export type PaidRequest = {
  input: RequestInfo | URL
  init: RequestInit | undefined
  v1: string | null
  v2: string | null
}

/**
 * Sends a payment if it equals an approved one, and records the result.
 * @throws OfferMismatchError before anything is sent; PaymentBlockedError after an invalid response to a sent
 * payment, whose amount then counts as spent
 */
export async function payOnce(
  context: GuardContext,
  inner: FetchLike,
  request: PaidRequest,
): Promise<Response> {
  const { input, init } = request
  await context.closeExpired()
  if (await context.ledger.isStopped()) throw refuse(context, 'STOPPED', { method: methodOf(input, init) })
  const { open, authorization } = await takeIntent(context, request)
  await recordSent(context, open, authorization).catch((cause) => {
    const { intent, verdict, traceparent } = open
    throw refuse(context, 'LEDGER_FAILED', { cause, intent, verdict, traceparent })
  })
  const [target, targetInit] = redirectManually(input, init, open.intent.url)
  let response: Response
  try {
    response = await inner(target, targetInit)
  } catch (error) {
    // An abort by the caller is no strike, but the money may be gone.
    await fail(context, open, !isAborted(input, init))
    throw error
  }
  return settle(context, open, response)
}

type Taken = { open: OpenIntent; authorization: Authorization }

async function takeIntent(context: GuardContext, request: PaidRequest): Promise<Taken> {
  const { input, init } = request
  const method = methodOf(input, init)
  const open = context.intents.ofCall(method, urlOf(input))
  const traceparent = headerOf(input, init, 'traceparent')
  const no = (code: OfferCode, first = open[0]) =>
    refuse(context, code, { method, traceparent, intent: first?.intent, verdict: first?.verdict })
  const payment = decodePayment(request)
  if (payment === undefined) throw no('PAYMENT_MALFORMED')
  if (open.length === 0) throw no('NO_INTENT')
  const fitting = chooseIntent(context, open, payment)
  if (fitting === undefined) throw no('OFFER_CHANGED')
  // Taken before the signature check, which may wait for an RPC: two copies never share one intent.
  if (!context.intents.take(fitting, payment.authorization)) throw no('NO_INTENT')
  if (await isSigned(context, fitting, payment)) {
    return { open: fitting, authorization: payment.authorization }
  }
  context.intents.putBack(fitting, payment.authorization)
  throw no('SIGNATURE_INVALID', fitting)
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
  const { authorization, network, asset } = payment
  return (
    network === intent.network &&
    (asset === null || sameAddress(asset, intent.asset)) &&
    fitsIntent(open, authorization, now)
  )
}

async function isSigned(
  context: GuardContext,
  { domain, intent }: OpenIntent,
  { authorization, signature }: OutgoingPayment,
): Promise<boolean> {
  // The asset's own domain, not the one claimed by the offer or the payload.
  const digest = hashAuthorization(domain, authorization)
  const signer = recoverSigner(digest, signature)
  if (signer !== undefined && sameAddress(signer, authorization.from)) return true
  if (context.verifySignature === null) return false
  const { network } = intent
  const request = { network, from: authorization.from, digest: bytesToHex(digest), signature }
  return context.verifySignature(request).catch(() => false)
}

async function settle(context: GuardContext, open: OpenIntent, response: Response): Promise<Response> {
  const { ledger } = context
  const { intent, verdict, reservation } = open
  const isRedirect =
    response.redirected ||
    response.type === 'opaqueredirect' ||
    (response.status >= 300 && response.status < 400 && response.status !== 304)
  if (isRedirect) {
    response.body?.cancel().catch(() => {})
    await fail(context, open, true)
    throw createGuardError('REDIRECT_AFTER_PAYMENT', { intent, verdict: verdict ?? undefined })
  }
  if (response.status === 402) {
    const { offers } = await readChallenge(response)
    await fail(context, open, true)
    const isSame = offers.some(
      (offer) => offer.amountAtomic === intent.amountAtomic && sameAddress(offer.payTo, intent.payTo),
    )
    const code = offers.length > 0 && !isSame ? 'OFFER_CHANGED' : 'PAYMENT_NOT_ACCEPTED'
    const details = 'The authorization was sent, so its amount counts as spent.'
    throw createGuardError(code, { details, intent, verdict: verdict ?? undefined })
  }
  await recordSettlement(context, open, readReceipt(response.headers))
  return watchDelivery(response, intent.method, (delivered) =>
    ledger.update(reservation, { delivered }).catch(() => {}),
  )
}

async function fail(context: GuardContext, open: OpenIntent, isStrike: boolean): Promise<void> {
  if (isStrike) await context.ledger.update(open.reservation, { delivered: false }).catch(() => {})
  await recordSettlement(context, open, null)
}
