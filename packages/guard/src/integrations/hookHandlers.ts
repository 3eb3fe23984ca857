import {
  decodeBase64Json,
  decodeChallenge,
  encodeBase64Json,
  isRecord,
  type Offer,
  sameAddress,
} from '@touchstone402/shared'
import { deepFreeze } from '../freeze.ts'
import { type Approval, findHolder } from '../paying/approvals.ts'
import { approve } from '../paying/approve.ts'
import { decodePayload, toPaymentHeader } from '../paying/bodyPayment.ts'
import { identifyCall, identifyRpc } from '../paying/calls/identifyCall.ts'
import { readRequest, urlOf } from '../paying/calls/request.ts'
import { type GuardContext, refuse } from '../paying/guardContext.ts'
import { refusePending } from '../paying/paymentFacts.ts'
import { checkResend, type Earlier } from '../paying/pendingPayment.ts'
import { type Answer, handOut, recordSettlement, releaseApproval, toReceipt } from '../paying/settlement.ts'
import { fitsPayment, signedFact } from '../paying/takeApproval.ts'

type Creation = { paymentRequired: unknown; selectedRequirements: unknown }

/** The hooks of `x402Client` from `@x402/core` that the guard uses. */
export type HookedClient = {
  onBeforePaymentCreation(hook: (context: Creation) => Promise<void>): unknown
  onAfterPaymentCreation(hook: (context: Creation & { paymentPayload: unknown }) => Promise<void>): unknown
  onPaymentCreationFailure(
    hook: (context: Creation) => Promise<{ recovered: true; payload: never } | undefined>,
  ): unknown
  onPaymentResponse(
    hook: (context: { paymentPayload: unknown; settleResponse?: unknown }) => Promise<void>,
  ): unknown
}

/**
 * The call that a hooked client pays for. Its transport must send the payment to this URL and no other.
 * @example
 * guard.hooks(client, { url: 'https://api.example.com/mcp', method: 'POST' })
 */
export type HookedCall = {
  url: string
  /** Decides which measured terms hold. */
  method: string
  /** The body of the request, which distinguishes calls to one URL. */
  body?: BodyInit | null
  /** Distinguishes intended duplicates of a call. @default '' */
  callKey?: string
}

/** The call, or a function that returns the call which was answered with a challenge. */
export type CallSource = HookedCall | ((paymentRequired: unknown) => HookedCall | undefined)

/** A hook of `x402Client`. */
type Hook<Name extends keyof HookedClient> = Parameters<HookedClient[Name]>[0]

// No client knows this scheme, so none signs for it; its failure hook then returns the payment to send again.
const RESEND = 'touchstone-resend'

/** Creates the hooks of a client. @param checkCall throws ConfigurationError for a call that is none */
export function createHandlers(
  context: GuardContext,
  source: CallSource | undefined,
  checkCall: (call: HookedCall) => void,
) {
  // By the entry that is paid.
  const claims = new WeakMap<object, Approval>()
  const resends = new WeakMap<object, Record<string, unknown>>()
  const approvedHere = new WeakSet<Approval>()
  // Payments that no other integration sees, by the payload.
  const sent = new WeakMap<object, Answer>()

  const before: Hook<'onBeforePaymentCreation'> = async ({ paymentRequired, selectedRequirements }) => {
    const entry = selectedRequirements as Record<string, unknown>
    const challenge = readSelected(paymentRequired, entry)
    await context.closeExpired()
    if (await context.ledger.isStopped()) throw refuse(context, 'STOPPED', {})
    const named = typeof source === 'function' ? source(paymentRequired) : source
    if (named !== undefined) checkCall(named)
    const call = named && { url: urlOf(named.url), method: named.method.toUpperCase() }
    const [offer] = challenge.offers
    let open = context.approvals
      .all()
      .filter((one) => offer !== undefined && isFor(one, offer))
      .find(({ url, intent }) => call === undefined || (url === call.url && intent.method === call.method))
    if (open === undefined) {
      if (named === undefined || call === undefined) throw refuse(context, 'URL_UNKNOWN', {})
      const { body = null, callKey = '' } = named
      const { method, url } = call
      const request = readRequest(url, { method, body })
      const once = { ...(await identifyCall(request, null)), callKey }
      // Others name a part of the body, or something in its place.
      const place = { ...call, requestedUrl: url, body: (await identifyRpc(request)) ?? null }
      const asked = { ...place, challenge, once, traceparent: null, claimed: true }
      const result = (await approve(context, asked)) as Exclude<Approval | Earlier, { answer: Response }>
      if (!('paymentId' in result)) {
        const { payment: paid, stored } = result
        const payload = stored === null ? undefined : decodeBase64Json(stored.value)
        if (stored === null || payload === undefined || Object.isFrozen(entry)) {
          throw refusePending(context, paid, 'PAYMENT_PENDING', null)
        }
        const facts = await checkResend(context, paid, stored.url, null)
        context.emit({ type: 'resent', ...facts })
        sent.set(payload, { ...facts, paymentId: paid.id, traceparent: null })
        resends.set(entry, payload)
        entry.scheme = RESEND
        return
      }
      open = result
      approvedHere.add(open)
    }
    open.claimed = true
    claims.set(entry, open)
    deepFreeze(entry)
  }
  const after: Hook<'onAfterPaymentCreation'> = async ({ selectedRequirements, paymentPayload }) => {
    const claimed = claims.get(selectedRequirements as object)
    claims.delete(selectedRequirements as object)
    const payment = decodePayload(paymentPayload, context.schemes)
    if (payment === undefined) throw refuse(context, 'PAYMENT_MALFORMED', {})
    const open = findHolder(context.approvals, payment.authorization) ?? claimed
    // An approval that was released meanwhile is another call's to make.
    const isOpen = open !== undefined && context.approvals.all().includes(open)
    if (open === undefined || !isOpen || !fitsPayment(open, payment, context.now())) {
      const facts = open && { payment: signedFact(context, open) }
      throw refuse(context, 'OFFER_CHANGED', { intent: open?.intent, verdict: open?.verdict, facts })
    }
    deepFreeze(paymentPayload)
    if (!approvedHere.has(open)) return handOut(context, open, payment.authorization)
    const { header, value } = toPaymentHeader(paymentPayload)
    await handOut(context, open, payment.authorization, { url: open.url, header, value })
    sent.set(paymentPayload as object, open)
  }
  const failed: Hook<'onPaymentCreationFailure'> = async ({ selectedRequirements }) => {
    const payload = resends.get(selectedRequirements as object)
    if (payload !== undefined) return { recovered: true, payload: payload as never }
    // The client has not come to a payload, so no payment leaves.
    const open = claims.get(selectedRequirements as object)
    if (open === undefined || open.signed !== null) return undefined
    await releaseApproval(context, open)
    return undefined
  }
  const answered: Hook<'onPaymentResponse'> = async ({ paymentPayload, settleResponse }) => {
    const payment = sent.get(paymentPayload as object)
    const { ledger, approvals } = context
    // Another integration sees the answer, or an equal call had it.
    if (payment === undefined || ledger.find(payment.paymentId)?.answered) return
    if ('signed' in payment) approvals.withdraw(payment as Approval)
    const receipt = toReceipt(settleResponse)
    // The hook does not name the status, so a known settlement is the only sign of an answer.
    if (receipt !== null) context.flights.answer(ledger.find(payment.paymentId))
    const update = receipt === null ? { delivered: false, isMild: true } : ({ answered: true } as const)
    await ledger.update(payment.paymentId, update).catch(() => {})
    await recordSettlement(context, payment, receipt)
  }
  return { before, after, failed, answered }
}

function readSelected(paymentRequired: unknown, selected: unknown) {
  const document = { ...(isRecord(paymentRequired) ? paymentRequired : {}), accepts: [selected] }
  const isV2 = isVersion2(document)
  return decodeChallenge({
    header: isV2 ? encodeBase64Json(document) : null,
    body: isV2 ? null : JSON.stringify(document),
  })
}

const isVersion2 = (document: unknown) => isRecord(document) && document.x402Version === 2

function isFor({ intent, signed, claimed }: Approval, offer: Offer): boolean {
  return (
    signed === null &&
    !claimed &&
    intent.network === offer.network &&
    intent.scheme === offer.scheme &&
    intent.amountAtomic === offer.amountAtomic &&
    sameAddress(intent.asset, offer.asset) &&
    sameAddress(intent.payTo, offer.payTo)
  )
}
