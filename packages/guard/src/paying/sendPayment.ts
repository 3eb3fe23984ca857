import type { LedgerUpdate, Payment, StoredPayment } from '../ledger/ledger.ts'
import { markCheck, markPaid } from '../paymentOf.ts'
import type { FetchLike } from '../types.ts'
import { type Approval, findHolder } from './approvals.ts'
import { type CallRequest, copyRequest, redirectManually, signalOf, untilAborted } from './calls/request.ts'
import { watchDelivery } from './delivery.ts'
import { type GuardContext, refuse } from './guardContext.ts'
import { decodePayment, readPaymentHeader } from './payment.ts'
import { refusePending } from './paymentFacts.ts'
import { checkResend, findForRetry, findUnresolved, PATIENCE_MS, type Seeker } from './pendingPayment.ts'
import {
  type Answer,
  readReceipt,
  recordLeaving,
  recordSettlement,
  updateSent,
  withhold,
} from './settlement.ts'
import { takeApproval } from './takeApproval.ts'

/**
 * Sends the payment that a request carries if it equals an approved one, and records the answer.
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
  const known = await findSamePayment(context, request)
  if (known !== undefined) {
    const sent = await resend(context, inner, request, known.payment, known.stored, {
      begun: context.flights.mark(),
      audience: null,
    })
    if (sent !== undefined) return sent
  }
  const { open, authorization } = await takeApproval(context, request)
  const signal = signalOf(request)
  const { method } = open.intent
  // A retry would send the method of the caller's request, for which the payment is not.
  const isRepeatable = method === request.method
  const payment = isRepeatable ? { url: open.url, ...readPaymentHeader(request.headers) } : undefined
  if (signal?.aborted) {
    await withhold(context, open, authorization, payment)
    throw signal.reason
  }
  await recordLeaving(context, open, 'sent', authorization, payment).catch((error) => {
    context.flights.land(open.paymentId)
    throw error
  })
  const target = (one: CallRequest) => redirectManually(one, open.url, undefined, method)
  const response = await exchange(context, inner, request, open, target)
  const { channel } = authorization
  if (channel !== undefined && response.ok) context.schemes.mpp?.opened(channel, open.url, true)
  return response
}

/** Returns the unresolved payment of a call if a request carries just that, as retries below the library do. */
async function findSamePayment(context: GuardContext, request: CallRequest): ReturnType<typeof findForRetry> {
  const payment = decodePayment(request.headers, context.schemes)
  // Its first send: another integration has recorded it already.
  if (payment !== undefined && findHolder(context.approvals, payment.authorization)) return undefined
  const pending = await findForRetry(context, request, null)
  const { header, value } = readPaymentHeader(request.headers)
  return pending?.stored.header === header && pending.stored.value === value ? pending : undefined
}

/** The call for which a payment is sent again. `asked` is its first request. */
export type Repeat = Pick<Seeker, 'begun' | 'audience' | 'tiredAt'> &
  Partial<Pick<Approval, 'liveCheck'>> & { asked?: CallRequest }

/**
 * Sends the unresolved payment of a call again, to the URL for which it was approved. An abort of `asked` ends it too.
 * If a call at the same time, with the same headers, does so already, waits for its answer.
 * @returns undefined if the payment has its answer by then, and it cannot be shared
 * @throws GuardError if the policy has come to deny it, or after an invalid response
 */
export async function resend(
  context: GuardContext,
  inner: FetchLike,
  request: CallRequest,
  payment: Payment,
  stored: StoredPayment,
  repeat: Repeat,
): Promise<Response | undefined> {
  const { flights } = context
  const { begun, audience, asked = request, tiredAt = Number.POSITIVE_INFINITY } = repeat
  const traceparent = request.headers.get('traceparent')
  if (Date.now() < tiredAt && flights.landing(payment.id, begun, audience) !== undefined) {
    const signal = signalOf(asked)
    const seeker = { query: payment, begun, signal, audience, traceparent, tiredAt }
    const found = await untilAborted(signal, findUnresolved(context, seeker))
    const tired = Math.min(tiredAt, Date.now() + PATIENCE_MS)
    if (found === null || 'answer' in found) return found?.answer
    if (found.stored === null) throw refusePending(context, found.payment, 'PAYMENT_PENDING', traceparent)
    return resend(context, inner, request, found.payment, found.stored, { ...repeat, tiredAt: tired })
  }
  // Before anything is awaited, so that equal calls wait.
  const isFirst = flights.takeOff(payment.id, audience)
  const send = async () => {
    const facts = await checkResend(context, payment, stored.url, traceparent)
    const { authorization, id: paymentId } = payment
    // An abort may have kept it from being sent at first.
    if (payment.state === 'handedOut')
      await updateSent(context, { ...facts, paymentId, traceparent }, { state: 'sent', authorization })
    return facts
  }
  // One that an abort has kept from leaving is charged to the call that sends it; an agent's was charged when signed.
  const isRepeat = payment.state !== 'handedOut' || payment.agent !== null
  const { intent, verdict } = await send().catch((error) => {
    if (isFirst) flights.land(payment.id)
    throw error
  })
  context.emit({ type: 'resent', intent, verdict, traceparent })
  const headers = new Headers(request.headers)
  headers.set(stored.header, stored.value)
  const call = { requestedUrl: request.url, audience, asked, isFirst, isRepeat, liveCheck: repeat.liveCheck }
  const sent = { intent, verdict, traceparent, paymentId: payment.id, ...call }
  return exchange(context, inner, request, sent, (one) => redirectManually(one, stored.url, headers))
}

// In Node, an abort reaches a Request only while the Request that it was made from is alive, and never reaches a clone
// after a garbage collection. Payment libraries send a clone, so the guard keeps the first request and its signal.
const underWay = new Set<unknown[]>()

/**
 * Sends a request with a recorded payment and records the answer.
 * @param target returns the arguments of the `fetch` for a request
 * @throws PaymentBlockedError without an answer, or after an invalid one; the amount then counts as spent
 */
async function exchange(
  context: GuardContext,
  inner: FetchLike,
  request: CallRequest,
  sent: Answer,
  target: (request: CallRequest) => [RequestInfo | URL, RequestInit],
): Promise<Response> {
  const kept: unknown[] = [sent.asked]
  let signal: AbortSignal | null = null
  const lose = async (cause: unknown): Promise<never> => {
    throw await (await loadLost()).loseAnswer(context, sent, cause, signal?.aborted === true)
  }
  const send = (one: CallRequest) => {
    const args = target(one)
    const [input] = args
    const init = followFirst(sent.asked, args)
    kept.push(one, input, init)
    signal = signalOf({ input, init })
    return inner(input, init).catch(lose)
  }
  underWay.add(kept)
  try {
    const copy = copyRequest(request)
    let response = await send(request)
    // Loaded with the first such answer, which may report a pending settlement.
    if (response.status === 402) {
      const { awaitSettlement } = await import('./unanswered/awaitSettlement.ts')
      const wait = (ms: number) => untilAborted(signal, context.wait(ms)).catch(lose)
      response = await awaitSettlement(context, sent, response, copy, { wait, send })
    }
    // While the answer is read, its watcher keeps `sent`.
    return await judgeAnswer(context, sent, response)
  } finally {
    underWay.delete(kept)
    if (sent.isFirst !== false) context.flights.land(sent.paymentId)
  }
}

/** Returns the options of a paid request that the signal of the first request aborts too. */
function followFirst(asked: Answer['asked'], [input, init]: [RequestInfo | URL, RequestInit]) {
  const signals = [asked && signalOf(asked), signalOf({ input, init })].filter((signal) => !!signal)
  return signals.length < 2 ? init : { ...init, signal: AbortSignal.any(signals) }
}

/**
 * Records the answer to a sent payment.
 * @throws PaymentBlockedError if it is a redirect or another 402; OfferMismatchError if its terms differ
 */
export async function judgeAnswer(
  context: GuardContext,
  sent: Answer,
  response: Response,
): Promise<Response> {
  if (isRedirect(response)) {
    response.body?.cancel().catch(() => {})
    throw await (await loadLost()).fail(context, sent, 'REDIRECT_AFTER_PAYMENT', 'strike')
  }
  // Loaded with the first such answer, since most payments are accepted.
  if (response.status === 402)
    throw await (await import('./unanswered/refuseAgain.ts')).refuseAgain(context, sent, response)
  return settle(context, sent, response)
}

// Most payments have an answer.
const loadLost = () => import('./unanswered/lostPayment.ts')

function isRedirect({ redirected, type, status }: Response): boolean {
  return redirected || type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304)
}

/** Records the headers of a response, and its body as it is read. */
async function settle(context: GuardContext, sent: Answer, response: Response): Promise<Response> {
  const { ledger, flights } = context
  const { paymentId: id, intent, requestedUrl, audience, isFirst, isRepeat = false } = sent
  const receipt = readReceipt(response.headers)
  const wasSettled = ledger.find(id)?.state === 'settled'
  await recordSettlement(context, sent, receipt)
  const wasAnswered = flights.has(id)
  const isAnswer = response.ok || response.status === 304
  if (isAnswer)
    flights.answer(ledger.find(id), response, requestedUrl, audience, isFirst === undefined ? 0 : 1)
  const note = (change: LedgerUpdate) => ledger.update(id, change).catch(() => {})
  // The caller has left an earlier answer unread, and the seller does not repeat it.
  if (!isAnswer && wasAnswered && wasSettled) await note({ answered: true })
  const watched = await watchDelivery(response, intent.method, {
    async ended(end, cause) {
      const { status } = response
      if (end === 'delivered') await note({ delivered: true })
      const isAborted = sent.asked && signalOf(sent.asked)?.aborted
      if (/^(broken|silent)$/.test(end) && !isAborted)
        await (await loadLost()).noteBreak(context, sent, cause, end === 'silent')
      if (end === 'empty') await note({ delivered: false, isMild: true })
      const isFault = !CALLERS_FAULT.has(status) || receipt !== null
      if (end === 'failed' && isFault && !wasAnswered) {
        const isOwn = status < 500
        await note({ delivered: false, isMild: isOwn, isOwn })
      }
      // Other answers without content may be honest.
      if (end === 'delivered' || (end === 'empty' && status !== 200)) await note({ answered: true })
    },
    lost: async (cause) => (await loadLost()).lossOf(context, sent, 'NO_ANSWER', { cause }),
  })
  return markCheck(markPaid(watched, { paymentId: id, intent, isRepeat }), sent.liveCheck)
}

// A model guesses parameters. They count against the endpoint only if the money is known to have left.
const CALLERS_FAULT = new Set([400, 404, 405, 410, 413, 414, 415, 422])
