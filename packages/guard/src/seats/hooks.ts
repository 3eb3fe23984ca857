import { decodeChallenge, encodeBase64Json, isRecord, type Offer, sameAddress } from '@touchstone402/shared'
import { approve } from '../paying/approve.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import { findHolder, fitsIntent, type OpenIntent } from '../paying/intents.ts'
import { decodePayment, type OutgoingPayment } from '../paying/payment.ts'
import { refuse } from '../paying/refuse.ts'
import { withoutFragment } from '../paying/request.ts'
import { recordSent, recordSettlement, toReceipt } from '../paying/settlement.ts'

type Creation = { paymentRequired: unknown; selectedRequirements: unknown }

/** The hooks of `x402Client` from `@x402/core` that the guard uses. */
export type HookedClient = {
  onBeforePaymentCreation(hook: (context: Creation) => Promise<void>): unknown
  onAfterPaymentCreation(hook: (context: Creation & { paymentPayload: unknown }) => Promise<void>): unknown
  onPaymentResponse(
    hook: (context: { paymentPayload: unknown; settleResponse?: unknown }) => Promise<void>,
  ): unknown
}

/**
 * Adds the guard to an `x402Client`, for transports other than `fetch`, such as MCP. Register it last.
 *
 * Judges and freezes the entry that the client has chosen, since later hooks could change it, and checks the payload
 * before the client returns it. Reuses an approval of the guarded fetch for the same terms, so that `ask` runs once.
 */
export function guardClient<Client extends HookedClient>(context: GuardContext, client: Client): Client {
  client.onBeforePaymentCreation(async ({ paymentRequired, selectedRequirements }) => {
    const challenge = readSelected(paymentRequired, selectedRequirements)
    await context.closeExpired()
    if (await context.ledger.isStopped()) throw refuse(context, 'STOPPED', {})
    const [offer] = challenge.offers
    const url = challenge.resource ?? ''
    const opened = context.intents.all().filter((open) => offer !== undefined && isFor(open, offer))
    const call = { method: 'GET', requestedUrl: url, url, challenge, traceparent: null }
    // Of several open calls on equal terms, prefers the one for the URL that the seller names.
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
    // Already taken if the guarded fetch saw the response.
    if (open?.signed && context.intents.take(open, open.signed)) {
      await recordSettlement(context, open, toReceipt(settleResponse))
    }
  })
  return client
}

function readSelected(paymentRequired: unknown, selected: unknown) {
  const document = { ...(isRecord(paymentRequired) ? paymentRequired : {}), accepts: [selected] }
  const isV2 = isVersion2(paymentRequired)
  const challenge = decodeChallenge({
    header: isV2 ? encodeBase64Json(document) : null,
    body: isV2 ? null : JSON.stringify(document),
  })
  return { ...challenge, resource: challenge.resource && withoutFragment(challenge.resource) }
}

const isVersion2 = (document: unknown) => isRecord(document) && document.x402Version === 2

function isFor({ intent, signed, claimed }: OpenIntent, offer: Offer): boolean {
  return (
    signed === null &&
    !claimed &&
    intent.network === offer.network &&
    intent.amountAtomic === offer.amountAtomic &&
    sameAddress(intent.asset, offer.asset) &&
    sameAddress(intent.payTo, offer.payTo)
  )
}

function readPayload(payload: unknown): OutgoingPayment | undefined {
  const text = encodeBase64Json(payload)
  return decodePayment(isVersion2(payload) ? { v1: null, v2: text } : { v1: text, v2: null })
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
