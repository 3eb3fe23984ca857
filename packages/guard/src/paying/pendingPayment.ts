import { type CanonicalUrl, sameAddress } from '@touchstone402/shared'
import { screenAddress } from '../decide/screen.ts'
import { standingOf } from '../decide/standing.ts'
import type { CallQuery, Payment, StoredPayment } from '../ledger/ledger.ts'
import { ANY_BODY } from '../ledger/pending.ts'
import { markPaid } from '../paymentOf.ts'
import { readUrl } from '../readUrl.ts'
import type { ReasonCode } from '../reasons.ts'
import type { CheckedVerdict, PaymentIntent } from '../types.ts'
import type { Approval } from './approvals.ts'
import { callOf, identifyCall } from './calls/identifyCall.ts'
import { type CallRequest, untilAborted } from './calls/request.ts'
import { type GuardContext, refuse } from './guardContext.ts'
import { factsOf, holdsUntil, intentOf, refusePending } from './paymentFacts.ts'
import { isOut, releaseApproval } from './settlement.ts'

/**
 * The result of an equal call: its unresolved payment, or its answer. `stored` is null if the payment was never seen
 * whole, so it cannot be sent again.
 */
export type Earlier = { payment: Payment; stored: StoredPayment | null } | { answer: Response }

// Approval and signature are milliseconds apart, except with a remote signer or a person.
const SIGNING_MS = { retry: 2000, concurrent: 10_000 }
const POLL_MS = 25
/** Time that a call waits for a failed payment, in sequence, so that a seller sees one at a time. */
export const PATIENCE_MS = 2000

/** The call that a payment is looked for, as far as its kind of integration knows it. */
export type Seeker = {
  query: CallQuery
  /** Mark of its begin, see `Flights`. */
  begun: number
  /** Aborts the search. */
  signal: AbortSignal | null
  /** Whose answers it may share, see `audienceOf`; null for none. */
  audience: string | null
  traceparent: string | null
  /** Unix time in ms from which it waits for no payment under way. @default none, before one has failed */
  tiredAt?: number
}

/**
 * Finds the unresolved payment of a call, and resolves it by the chain if it has expired. Waits for equal calls that are
 * under way, and shares their answer with callers that set the same headers.
 * @returns null if a new payment may be signed
 * @throws GuardError PAYMENT_PENDING, PAYMENT_SETTLED or PAYMENT_UNRESOLVED; the reason of an abort
 */
export async function findUnresolved(
  context: GuardContext,
  { query, signal, audience, traceparent, ...call }: Seeker,
): Promise<Earlier | null> {
  const { ledger, now, flights, approvals } = context
  const startedAt = Date.now()
  let { begun, tiredAt = Number.POSITIVE_INFINITY } = call
  /** An equal payment whose answer is not for this caller. */
  let other: string | undefined
  for (;;) {
    signal?.throwIfAborted()
    await ledger.refresh()
    const overlapped = flights.find(query, begun)
    if (overlapped !== undefined) {
      if (audience === null) return { payment: overlapped.entry, stored: overlapped.stored }
      const isShared = overlapped.answer?.audience === audience
      const answer = isShared ? await overlapped.answer?.copy() : null
      if (answer) {
        const { entry } = overlapped
        const intent = intentOf(context, entry)
        return { answer: markPaid(answer, { paymentId: entry.id, intent, isRepeat: true }) }
      }
      begun = overlapped.at
      other = overlapped.entry.id
      continue
    }
    const entry = ledger.findPending(query, now())
    if (entry === undefined) return null
    const landing = audience === null ? undefined : flights.landing(entry.id, begun)
    const open = approvals.find(entry.id)
    if (entry.state === 'reserved') {
      const waitMs = landing === undefined ? SIGNING_MS.retry : SIGNING_MS.concurrent
      if (Date.now() - startedAt >= waitMs) {
        if (open === undefined || open.signed !== null) {
          throw refusePending(context, entry, 'PAYMENT_PENDING', traceparent)
        }
        // Its library gave up. Should it sign after all, the payment has no approval and is not sent.
        await releaseApproval(context, open)
      } else await sleep(POLL_MS)
    } else if (landing !== undefined && open !== undefined) {
      // Signed, but not sent: its library may have failed since.
      if (Date.now() - startedAt >= SIGNING_MS.concurrent) {
        throw refusePending(context, entry, 'PAYMENT_PENDING', traceparent)
      }
      await sleep(POLL_MS)
    } else if (landing !== undefined && Date.now() < tiredAt) {
      await untilAborted(signal, landing)
      tiredAt = Math.min(tiredAt, Date.now() + PATIENCE_MS)
    } else if (entry.id === other && now() < holdsUntil(context, entry)) {
      // Its caller still reads the answer.
      await sleep(POLL_MS)
    } else if (canResend(context, entry)) {
      return { payment: entry, stored: await ledger.readPayment(entry.id) }
    } else {
      // Loaded with the first payment that got no answer.
      const { resolveExpired } = await import('./unanswered/resolveExpired.ts')
      await untilAborted(signal, resolveExpired(context, entry, traceparent))
    }
  }
}

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Finds a payment to attach to a request that carries none. Reads its body only if its URL has an unresolved payment. */
export async function findForRetry(
  context: GuardContext,
  request: CallRequest,
  payer: string | null,
): Promise<{ payment: Payment; stored: StoredPayment } | undefined> {
  const { ledger, now } = context
  const { method, url, callKey } = request
  const canonical = readUrl(url)
  if (typeof canonical === 'string') return undefined
  const call = callOf(method, url, canonical.key)
  const { agent } = context.cap
  const any: CallQuery = { call, once: { body: ANY_BODY, callKey, payer }, agent }
  if (ledger.findPending(any, now()) === undefined) return undefined
  const entry = ledger.findPending({ call, once: await identifyCall(request, payer), agent }, now())
  if (entry === undefined || entry.state === 'reserved' || !canResend(context, entry)) return undefined
  const stored = await ledger.readPayment(entry.id)
  return stored === null ? undefined : { payment: entry, stored }
}

/**
 * Checks that the policy still allows a payment to be sent to a URL.
 * @throws GuardError if its host or receiver is denied, or its verdict is `avoid`
 */
export async function checkResend(
  context: GuardContext,
  payment: Payment,
  url: string,
  traceparent: string | null,
): Promise<{ intent: PaymentIntent; verdict: CheckedVerdict | null }> {
  const { policy } = context
  const intent = intentOf(context, payment)
  const no = (code: ReasonCode, verdict?: CheckedVerdict) =>
    refuse(context, code, {
      intent,
      verdict,
      traceparent,
      facts: factsOf(payment, intent, { isRepeat: true }),
    })
  if (await context.ledger.isStopped()) throw no('STOPPED')
  const { perCall } = context.cap
  if (perCall !== null && payment.usdMicros > perCall) throw no('OVER_CALL_LIMIT')
  const canonical = readUrl(url) as CanonicalUrl
  const address = screenAddress(policy, canonical)
  if (address !== null) throw no(address)
  if (policy.denyReceivers.some((denied) => sameAddress(denied, payment.payTo)))
    throw no('RECEIVER_NOT_ALLOWED')
  const state = await context.verdicts?.get(payment.endpoint)
  const verdict = state?.state === 'signed' ? state.verdict : null
  const last = state?.state === 'unavailable' ? state.lastSeen : verdict && standingOf(verdict)
  if (last === 'avoid' && policy.block.includes('avoid')) throw no('VERDICT_AVOID', verdict ?? undefined)
  return { intent, verdict }
}

/** Whether a seller that is sent a payment again can collect it, or has collected and answered it. */
function canResend(context: GuardContext, entry: Payment): boolean {
  if (context.now() < holdsUntil(context, entry)) return true
  return entry.state === 'settled' && context.flights.has(entry.id)
}

/** Ends the approvals that have expired, and releases what can no longer be collected. */
export async function closeExpired(context: GuardContext): Promise<void> {
  const { approvals, ledger, flights, now } = context
  const at = now()
  const close = async (open: Approval) => {
    if (!isOut(context, open)) await releaseApproval(context, open)
    // Without an integration that sees it leave, it may have been sent.
    else if (!open.isSeen)
      await (await import('./unanswered/resolveExpired.ts')).recordSilence(context, open.paymentId)
    flights.land(open.paymentId)
  }
  const ended = approvals.expire(at).map(close)
  // Together, so that a ledger in a file writes them to disk at once.
  const lapsed = ledger.lapsed(at).map(({ id }) => ledger.update(id, { state: 'expired', at }))
  await Promise.all([...ended, ...lapsed]).catch((cause) => {
    throw refuse(context, 'LEDGER_FAILED', { cause })
  })
}
