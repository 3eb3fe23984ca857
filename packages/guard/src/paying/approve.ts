import { type Offer, usdToAtomic } from '@touchstone402/shared'
import { askWithDeadline } from '../decide/ask.ts'
import { budgetLimits, type SpendingCap } from '../decide/budget.ts'
import { hasWildcards, hostTerms } from '../decide/hosts.ts'
import type { FullChallenge } from '../decide/otherProtocols.ts'
import { decideAmong } from '../decide/policy.ts'
import { type Candidate, screen } from '../decide/screen.ts'
import { isGuardError, type PaymentFact } from '../errors.ts'
import type { OnceKey } from '../ledger/ledger.ts'
import { INTENT_LIFETIME_MS } from '../ledger/pending.ts'
import { markCheck } from '../paymentOf.ts'
import { readUrl } from '../readUrl.ts'
import type { ReasonCode } from '../reasons.ts'
import type { VerdictState } from '../types.ts'
import { callOf } from './calls/identifyCall.ts'
import { type CallRequest, signalOf, staysOnOrigin, withoutFragment } from './calls/request.ts'
import { toIntent, toQuery } from './describeOffer.ts'
import type { GuardContext, Refused } from './guardContext.ts'
import type { OpenIntent } from './intents.ts'
import { refusePending } from './paymentFacts.ts'
import { findUnresolved, type PendingPayment } from './pendingPayment.ts'
import { hasExtension, releaseIntent } from './settlement.ts'

/** A call that was answered with a 402. */
export type ChallengedCall = {
  /** Method that was answered with the 402. */
  method: string
  /** Method of the caller's request. @default method */
  requestedMethod?: string
  /** URL of the caller's request. */
  requestedUrl: string
  /** URL of the response, after same-origin redirects. */
  url: string
  challenge: FullChallenge
  /** Distinguishes calls to the URL. */
  once: OnceKey
  /** Hash of the body, see `identifyBody`. @default null, not known */
  body?: string | null
  traceparent: string | null
  /** The caller's request; see `OpenIntent`. @default null */
  asked?: CallRequest
  /** The request with its body unread, to describe it. @default undefined, which describes no body */
  copy?: CallRequest | undefined
  /** Who may share its answer, see `audienceOf`. @default null, for none */
  audience?: string | null
  /** Mark of the call's begin, see `Flights`. @default now */
  begun?: number
  /** Whether a hooked client pays for it. @default false */
  claimed?: boolean
  /** The live check that was bought for it. @default none yet */
  liveCheck?: PaymentFact | undefined
}

/** The answer, or the payment, of an equal call, and the live check that this call has bought nevertheless. */
export type Overlapped = (PendingPayment | { answer: Response }) & { liveCheck?: PaymentFact | undefined }

function withCheck(found: Overlapped, liveCheck: PaymentFact | undefined): Overlapped {
  if ('answer' in found && liveCheck !== undefined) markCheck(found.answer, liveCheck)
  return { ...found, liveCheck }
}

/** The approved offer and its open intent. */
export type Approval = { offer: Offer; open: OpenIntent }

/**
 * Decides on a challenge for an integration that cannot send a payment again.
 * @throws GuardError before anything is signed; PAYMENT_PENDING if the call has an unresolved payment
 */
export async function approveNew(context: GuardContext, call: ChallengedCall): Promise<Approval> {
  const result = (await approve(context, call)) as Approval | PendingPayment
  if ('open' in result) return result
  if (!context.flights.has(result.entry.id))
    await (await import('./unanswered/resolveExpired.ts')).noteFault(context, result.entry)
  throw refusePending(context, result.entry, 'PAYMENT_PENDING', call.traceparent)
}

/**
 * Decides on a challenge. If it may be paid, reserves the amount and opens a one-shot intent. Returns the unresolved
 * payment of the call instead, if there is one, or the answer that an equal call at the same time has paid for.
 * @throws GuardError before anything is signed; the reason of an abort
 */
export async function approve(context: GuardContext, call: ChallengedCall): Promise<Approval | Overlapped> {
  const { policy, ledger, now, cap, keepUrls, flights } = context
  const { method, requestedMethod = method, once, traceparent, begun = flights.mark() } = call
  const { asked = null, audience = null } = call
  const signal = asked && signalOf(asked)
  const canonical = readUrl(call.url)
  const endpoint = typeof canonical === 'string' ? undefined : canonical.key
  // Loaded with the first refusal.
  const refusing = () => import('./refuseOffer.ts')
  const no = async (code: ReasonCode, more: Refused = {}) =>
    (await refusing()).refuseCall(context, code, { endpoint, method, traceparent, ...more })

  if (typeof canonical === 'string') throw await no('URL_INVALID', { details: `${canonical}.` })
  if (!staysOnOrigin(call.requestedUrl, call.url)) throw await no('REDIRECT_REFUSED')
  if (hasWildcards(policy))
    (await import('../decide/sharedHosting.ts')).refuseSharedHosting(policy, canonical)
  // The service does not learn of calls that the policy alone refuses.
  const screened = screen(policy, canonical, call.challenge)
  if ('code' in screened)
    throw (await refusing()).refuseScreened(context, screened, call.challenge, {
      endpoint,
      method,
      traceparent,
    })
  // By the URL that the caller asked for: a redirect to a new address of the origin must not make a retry a new call.
  const requested = readUrl(call.requestedUrl)
  const key = typeof requested === 'string' ? canonical.key : requested.key
  const query = {
    call: callOf(requestedMethod, withoutFragment(call.requestedUrl), key),
    once,
    agent: cap.agent,
  }
  const noLedger = async (cause: unknown): Promise<never> => {
    if (signal?.aborted) throw signal.reason
    throw isGuardError(cause) ? cause : await no('LEDGER_FAILED', { cause })
  }
  await context.closeExpired().catch(noLedger)
  const find = () => findUnresolved(context, { query, begun, signal, audience, traceparent }).catch(noLedger)
  const pending = await find()
  if (pending !== null) return withCheck(pending, call.liveCheck)

  let { liveCheck } = call
  const terms = hostTerms(policy, canonical)
  const limitsOf = (left: SpendingCap) => budgetLimits(policy, left, context.verdicts === null, terms)
  let limits = limitsOf(afterCheck(cap, liveCheck))
  const whose = {
    task: cap.task?.name ?? null,
    agent: cap.agent,
    asked: key === canonical.key ? undefined : key,
  }
  const queryOf = (candidate: Candidate) => toQuery(query.call, canonical, candidate, whose)
  const view = (candidate: Candidate) => ledger.view(queryOf(candidate), limits, now())
  const settle = (verdict: VerdictState | null, isLive: boolean) =>
    decideAmong(screened, limits, { policy, terms, method, verdict, isLive, ledger: view })
  let state = (await context.verdicts?.get(canonical.key)) ?? null
  let decision = settle(state, false)
  let tried: string | undefined
  if (decision.outcome === 'liveCheck' && context.liveCheck !== null) {
    const left = { ...context, cap: afterCheck(cap, liveCheck) }
    const checked = await context.liveCheck(canonical.key, left, decision.chosen.usdMicros)
    limits = limitsOf(afterCheck(left.cap, checked?.payment))
    liveCheck ??= checked?.payment ?? undefined
    if (checked?.state.state === 'signed') {
      state = checked.state
      decision = settle(state, true)
    } else tried = checked?.state.detail
  }
  const { chosen } = decision
  const intent = toIntent(call, chosen, canonical, keepUrls)
  const verdict = state?.state === 'signed' ? state.verdict : null
  const judged = () => ({
    query: queryOf(chosen),
    url: canonical,
    terms,
    limits,
    decision,
    view: view(chosen),
  })
  const noOffer = async (code: ReasonCode) => {
    const why = { ...(state?.state === 'unavailable' && state), tried, liveCheck }
    const of = { method, traceparent, intent, verdict }
    return (await refusing()).refuseOffer(context, code, of, { ...judged(), ...why })
  }
  if (decision.outcome === 'block' || decision.outcome === 'liveCheck') throw await noOffer(decision.code)
  if (decision.outcome === 'ask') {
    const { code } = decision
    // Loaded with the first question, since few payments need approval.
    const facts = await (await import('./questionFacts.ts')).questionFacts(judged(), call.copy)
    const isApproved = await askWithDeadline(context, { intent, code, verdict, ...facts })
    if (!isApproved) throw await noOffer(code)
  }

  const { domain, amount, usdMicros, offer } = chosen
  const { [intent.scheme]: plain, exact, mpp } = context.schemes
  const scheme = (offer.other === undefined ? plain : mpp?.schemeOf(offer.other)) ?? exact
  // A person who approves a payment vouches for it.
  const isVouched = decision.outcome === 'ask' || decision.isVouched
  const { amountAtomic } = offer
  const reservation = { ...queryOf(chosen), once, at: now(), amountAtomic, usdMicros, isVouched }
  // While the verdict was awaited, an equal call may have been approved, paid and answered.
  if (flights.find(query, begun) !== undefined) {
    const overlapped = await find()
    if (overlapped !== null) return withCheck(overlapped, liveCheck)
  }
  signal?.throwIfAborted()
  const reserved = await ledger.reserve(reservation, limits).catch(noLedger)
  // A concurrent equal call was faster.
  if (!reserved.ok && reserved.code === 'PAYMENT_PENDING')
    return approve(context, { ...call, begun, liveCheck })
  // A concurrent call may have spent the budget since the decision.
  if (!reserved.ok) throw await noOffer(reserved.code)
  const open: OpenIntent = {
    intent,
    url: withoutFragment(call.url),
    verdict,
    scheme,
    domain,
    amount,
    reservation: reserved.id,
    payer: once.payer,
    requestedUrl: withoutFragment(call.requestedUrl),
    requestedMethod,
    openedAt: now(),
    expiresAt: now() + INTENT_LIFETIME_MS,
    signed: null,
    isSeen: asked !== null,
    body: call.body ?? null,
    claimed: call.claimed ?? false,
    other: offer.other ?? null,
    liveCheck,
    asked,
    audience,
    traceparent,
  }
  context.intents.open(open)
  if (signal?.aborted) {
    await releaseIntent(context, open)
    throw signal.reason
  }
  if (asked !== null) flights.takeOff(reserved.id)
  // Loaded with the first signed offer, since few sellers sign.
  const offerProof = hasExtension(call.challenge[offer.source], 'offer-receipt')
    ? await (await import('./offerReceipt.ts')).readOfferProof(call.challenge, offer, intent, keepUrls)
    : null
  context.emit({ type: 'allowed', intent, verdict, paymentId: open.reservation, traceparent, offerProof })
  return { offer, open }
}

/** Returns what a call may still cost after its live check, which is a payment of it. */
function afterCheck(cap: SpendingCap, check: PaymentFact | null | undefined): SpendingCap {
  return check && cap.perCall !== null ? { ...cap, perCall: cap.perCall - usdToAtomic(check.amountUsd) } : cap
}
