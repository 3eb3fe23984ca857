import {
  type CanonicalUrl,
  type Challenge,
  canonicalizeUrl,
  formatUnits,
  InvalidUrlError,
  type Offer,
  USDC_DECIMALS,
} from '@touchstone402/shared'
import { askWithDeadline } from '../decide/ask.ts'
import { budgetLimits } from '../decide/budget.ts'
import { type Decision, decide } from '../decide/policy.ts'
import { type Candidate, screen } from '../decide/screen.ts'
import { createEvent } from '../events.ts'
import type { ReasonCode } from '../reasons.ts'
import type { PaymentIntent, VerdictState } from '../types.ts'
import type { GuardContext } from './guardContext.ts'
import { INTENT_LIFETIME_MS, type OpenIntent } from './intents.ts'
import { refuse } from './refuse.ts'
import { staysOnOrigin, withoutFragment } from './request.ts'

/** A call that was answered with a 402. */
export type ChallengedCall = {
  method: string
  /** What the caller asked for. */
  requestedUrl: string
  /** What answered, after same-origin redirects. */
  url: string
  challenge: Challenge
  traceparent: string | null
}

/** An approved call: the one entry that may be paid, and the intent that lets the payment out. */
export type Approval = { offer: Offer; open: OpenIntent }

/**
 * Decides on a challenge and, if it may be paid, reserves the amount and opens a one-shot intent.
 * @throws GuardError with the reason, before anything was signed
 */
export async function approve(context: GuardContext, call: ChallengedCall): Promise<Approval> {
  const { policy, ledger, now } = context
  const { method, traceparent } = call
  const no = (code: ReasonCode, { canonical, chosen, state, ...more }: Refusal = {}) => {
    const intent = chosen === undefined ? undefined : toIntent(call, chosen, canonical)
    const verdict = state?.state === 'signed' ? state.verdict : undefined
    return refuse(context, code, { endpoint: canonical?.key, method, traceparent, intent, verdict, ...more })
  }

  const canonical = readUrl(call.url)
  if (typeof canonical === 'string') throw no('URL_INVALID', { details: canonical })
  if (!staysOnOrigin(call.requestedUrl, call.url)) throw no('REDIRECT_REFUSED', { canonical })
  // What the policy alone refuses, the service never learns of.
  const screened = screen(policy, canonical, call.challenge)
  if ('code' in screened) throw no(screened.code, { canonical })
  await context.closeExpired()
  await ledger.refresh()

  const settle = (verdict: VerdictState, isLive: boolean): Decision =>
    decide({
      policy,
      url: canonical,
      challenge: call.challenge,
      verdict,
      isLive,
      ledger: (candidate) => ledger.view(toQuery(call, canonical, candidate), budgetLimits(policy), now()),
    })
  let state = await context.verdicts.get(canonical.key)
  let decision = settle(state, false)
  if (decision.outcome === 'liveCheck' && context.liveCheck !== null) {
    const checked = await context.liveCheck(canonical.key)
    if (checked.state === 'signed') {
      state = checked
      decision = settle(state, true)
    }
  }
  const more = {
    canonical,
    chosen: decision.chosen,
    state,
    details: state.state === 'unavailable' ? state.detail : undefined,
  }
  if (decision.outcome === 'block' || decision.outcome === 'liveCheck') throw no(decision.code, more)
  const { chosen } = decision
  const intent = toIntent(call, chosen, canonical)
  const verdict = state.state === 'signed' ? state.verdict : null
  if (decision.outcome === 'ask') {
    const approved = await askWithDeadline(context, { intent, code: decision.code, verdict })
    if (!approved) throw no(decision.code, more)
  }

  const { payTo, amountAtomic } = intent
  const reservation = { ...toQuery(call, canonical, chosen), at: now(), payTo, amountAtomic }
  const reserved = await ledger
    .reserve({ ...reservation, usdMicros: chosen.usdMicros }, budgetLimits(policy))
    .catch((cause) => {
      throw no('LEDGER_FAILED', { ...more, cause })
    })
  // Somebody else may have spent the budget since it was looked at.
  if (!reserved.ok) throw no(reserved.code, more)
  const open: OpenIntent = {
    intent,
    verdict,
    domain: chosen.domain,
    amount: chosen.amount,
    reservation: reserved.id,
    requestedUrl: withoutFragment(call.requestedUrl),
    expiresAt: now() + INTENT_LIFETIME_MS,
    signed: null,
    claimed: false,
    traceparent,
  }
  context.intents.open(open)
  context.emit(
    createEvent({
      type: 'allowed',
      at: now(),
      endpoint: canonical.key,
      method,
      intent,
      verdict,
      traceparent,
    }),
  )
  return { offer: chosen.offer, open }
}

type Refusal = {
  canonical?: CanonicalUrl
  chosen?: Candidate | undefined
  state?: VerdictState
  details?: string | undefined
  cause?: unknown
}

function readUrl(url: string): CanonicalUrl | string {
  try {
    return canonicalizeUrl(url)
  } catch (error) {
    if (error instanceof InvalidUrlError) return `${error.message}.`
    throw error
  }
}

function toQuery(call: ChallengedCall, canonical: CanonicalUrl, { offer }: Candidate) {
  return {
    host: canonical.host,
    endpoint: canonical.key,
    call: `${call.method} ${withoutFragment(call.url)}`,
    network: offer.network,
    asset: offer.asset,
  }
}

function toIntent(
  call: ChallengedCall,
  { offer, usdMicros }: Candidate,
  canonical?: CanonicalUrl,
): PaymentIntent {
  return {
    url: withoutFragment(call.url),
    endpoint: canonical?.key ?? '',
    host: canonical?.host ?? '',
    method: call.method,
    network: offer.network,
    asset: offer.asset,
    payTo: offer.payTo,
    amountAtomic: offer.amountAtomic,
    amountUsd: formatUnits(usdMicros, USDC_DECIMALS),
    maxTimeoutSeconds: offer.maxTimeoutSeconds,
  }
}
