import { decodeChallenge, encodeBase64Json, sameAddress } from '@touchstone402/shared'
import { approve } from '../paying/approve.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import { findHolder, fitsIntent, type OpenIntent } from '../paying/intents.ts'
import { decodePayment, type OutgoingPayment } from '../paying/payment.ts'
import { refuse } from '../paying/refuse.ts'
import { withoutFragment } from '../paying/request.ts'
import { recordSent, recordSettlement, toReceipt } from '../paying/settlement.ts'

type Creation = { paymentRequired: unknown; selectedRequirements: unknown }

/** The part of `x402Client` of `@x402/core` that the guard hooks into. */
export type HookedClient = {
  onBeforePaymentCreation(hook: (context: Creation) => Promise<void>): unknown
  onAfterPaymentCreation(hook: (context: Creation & { paymentPayload: unknown }) => Promise<void>): unknown
  onPaymentResponse(
    hook: (context: { paymentPayload: unknown; settleResponse?: unknown }) => Promise<void>,
  ): unknown
}

/**
 * Puts the guard into an `x402Client`, for transports that are no `fetch`, such as MCP. Register it last.
 *
 * The entry that the client has chosen is judged and frozen, since later hooks could change it; the payload is
 * checked before the client hands it out. An approval that the guarded fetch has opened for the same terms is used,
 * so that nobody is asked twice.
 */
export function guardClient<Client extends HookedClient>(context: GuardContext, client: Client): Client {
  client.onBeforePaymentCreation(async ({ paymentRequired, selectedRequirements }) => {
    const challenge = readSelected(paymentRequired, selectedRequirements)
    await context.closeExpired()
    const [offer] = challenge.offers
    const url = challenge.resource ?? ''
    const opened = context.intents.all().filter((open) => offer !== undefined && isFor(open, offer))
    const call = { method: 'GET', requestedUrl: url, url, challenge, traceparent: null }
    // Where several calls on equal terms are open, the one for this URL, if the seller names it rightly.
    const known = opened.find(({ intent }) => intent.url === url) ?? opened[0]
    const open = known ?? (await approve(context, call)).open
    open.claimed = true
    deepFreeze(selectedRequirements)
  })
  client.onAfterPaymentCreation(async ({ paymentPayload }) => {
    const payment = readPayload(paymentPayload)
    if (payment === undefined) throw refuse(context, 'PAYMENT_MALFORMED', {})
    const open = findHolder(context.intents, payment.authorization) ?? findClaimed(context, payment)
    if (open === undefined || !fits(open, payment, context.now())) {
      throw refuse(context, 'OFFER_CHANGED', { intent: open?.intent, verdict: open?.verdict })
    }
    deepFreeze(paymentPayload)
    await recordSent(context, open, payment.authorization)
  })
  client.onPaymentResponse(async ({ paymentPayload, settleResponse }) => {
    const payment = readPayload(paymentPayload)
    const open = payment && findHolder(context.intents, payment.authorization)
    // Taken out already where the guarded fetch has seen the answer.
    if (open?.signed && context.intents.take(open, open.signed)) {
      await recordSettlement(context, open, toReceipt(settleResponse))
    }
  })
  return client
}

function readSelected(paymentRequired: unknown, selected: unknown) {
  const document = { ...(paymentRequired as object), accepts: [selected] }
  const isV2 = Reflect.get(document, 'x402Version') === 2
  const challenge = decodeChallenge({
    header: isV2 ? encodeBase64Json(document) : null,
    body: isV2 ? null : JSON.stringify(document),
  })
  return { ...challenge, resource: challenge.resource && withoutFragment(challenge.resource) }
}

function isFor({ intent, signed, claimed }: OpenIntent, offer: { [K in TermKey]: string }): boolean {
  return (
    signed === null &&
    !claimed &&
    intent.network === offer.network &&
    intent.amountAtomic === offer.amountAtomic &&
    sameAddress(intent.asset, offer.asset) &&
    sameAddress(intent.payTo, offer.payTo)
  )
}

type TermKey = 'network' | 'asset' | 'payTo' | 'amountAtomic'

function readPayload(payload: unknown): OutgoingPayment | undefined {
  const text = encodeBase64Json(payload)
  const isV2 = typeof payload === 'object' && payload !== null && Reflect.get(payload, 'x402Version') === 2
  return decodePayment({ v1: isV2 ? null : text, v2: isV2 ? text : null })
}

function findClaimed(context: GuardContext, payment: OutgoingPayment): OpenIntent | undefined {
  return context.intents
    .all()
    .find((open) => open.claimed && open.signed === null && fits(open, payment, context.now()))
}

function fits(open: OpenIntent, { authorization, network }: OutgoingPayment, now: number): boolean {
  return network === open.intent.network && fitsIntent(open, authorization, now)
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const inner of Object.values(value)) deepFreeze(inner)
}
