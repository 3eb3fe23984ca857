import { type CanonicalUrl, formatUsdc, usdToAtomic } from '@touchstone402/shared'
import { type BudgetLimits, budgetLimits, type LedgerView, type SpendingCap } from '../decide/budget.ts'
import type { HostTerms } from '../decide/hosts.ts'
import { decideAmong } from '../decide/policy.ts'
import { registrableDomain } from '../decide/registrableDomain.ts'
import type { Passed, PricedOffer } from '../decide/screen.ts'
import type { Report } from '../errors.ts'
import type { PaymentQuery } from '../ledger/ledger.ts'
import type { CheckedVerdict, PaymentIntent, VerdictState } from '../types.ts'
import { hideQuery } from './calls/identifyCall.ts'
import { withoutFragment } from './calls/request.ts'
import type { GuardContext } from './guardContext.ts'
import type { ReadCall } from './readCall.ts'

/** A call whose offers were judged. */
export type JudgedCall = {
  query: PaymentQuery
  url: CanonicalUrl
  terms: HostTerms
  limits: BudgetLimits
  decision: ReturnType<typeof decideAmong>
  /** Of the chosen offer. */
  view: LedgerView
}

/** The decision between the offers of a call, and what it rests on. */
export type Judgement = Pick<JudgedCall, 'limits' | 'decision'> & {
  intent: PaymentIntent
  verdict: CheckedVerdict | null
  /** Null without a service. */
  state: VerdictState | null
  liveCheck: Report | undefined
  /** Why a live check gave no verdict. */
  tried?: string | undefined
}

/** Decides between the offers that passed, after a live check if the policy asks for one. */
export async function judge(context: GuardContext, call: ReadCall, passed: Passed): Promise<Judgement> {
  const { policy, verdicts, keepUrls } = context
  const { canonical, terms, method } = call
  const decideBy = (verdict: VerdictState | null, limits: BudgetLimits, isLive: boolean) => {
    const ledger = (offer: PricedOffer) => viewOf(context, queryOf(context, call, offer), limits)
    return decideAmong(passed, limits, { policy, terms, method, verdict, isLive, ledger })
  }
  let { liveCheck } = call
  let cap = afterCheck(context.cap, liveCheck)
  let limits = limitsOf(context, call, cap)
  let state = (await verdicts?.get(canonical.key)) ?? null
  let decision = decideBy(state, limits, false)
  let tried: string | undefined
  if (decision.outcome === 'liveCheck' && context.liveCheck !== null) {
    const checked = await context.liveCheck(canonical.key, { ...context, cap }, decision.chosen.usdMicros)
    cap = afterCheck(cap, checked?.payment)
    limits = limitsOf(context, call, cap)
    liveCheck ??= checked?.payment ?? undefined
    if (checked?.state.state === 'signed') {
      state = checked.state
      decision = decideBy(state, limits, true)
    } else tried = checked?.state.detail
  }
  const intent = toIntent(call, decision.chosen, canonical, keepUrls)
  const verdict = state?.state === 'signed' ? state.verdict : null
  return { intent, verdict, state, limits, decision, liveCheck, tried }
}

const limitsOf = ({ policy, verdicts }: GuardContext, { terms }: ReadCall, cap: SpendingCap) =>
  budgetLimits(policy, cap, verdicts === null, terms)

/** Returns what a call may still cost after its live check, which is a payment of it. */
function afterCheck(cap: SpendingCap, check: Report | null | undefined): SpendingCap {
  return check && cap.perCall !== null ? { ...cap, perCall: cap.perCall - usdToAtomic(check.amountUsd) } : cap
}

/** Returns the facts by which the ledger looks up the payment of an offer. */
export function queryOf(
  { cap }: GuardContext,
  { query, canonical, from }: ReadCall,
  { offer, facilitator }: PricedOffer,
): PaymentQuery {
  const { network, asset, payTo, other } = offer
  const scheme = facilitator !== null ? 'upto' : other?.method === 'tempo' ? 'tempo' : undefined
  return {
    host: canonical.host,
    domain: registrableDomain(canonical.hostname),
    endpoint: canonical.key,
    call: query.call,
    network,
    asset,
    payTo,
    task: cap.task?.name ?? null,
    agent: cap.agent,
    asked: from,
    ...(scheme && { scheme }),
  }
}

function viewOf({ ledger, now }: GuardContext, query: PaymentQuery, limits: BudgetLimits) {
  return ledger.view(query, limits, now())
}

/** Adds what the ledger says by now. */
export function lookAgain(
  context: GuardContext,
  call: ReadCall,
  { limits, decision }: Judgement,
): JudgedCall {
  const query = queryOf(context, call, decision.chosen)
  return {
    query,
    url: call.canonical,
    terms: call.terms,
    limits,
    decision,
    view: viewOf(context, query, limits),
  }
}

/** Describes the payment of an offer for a call, with a hash in place of its query unless `keepUrl` is set. */
function toIntent(
  call: Pick<ReadCall, 'method' | 'url'>,
  { offer, usdMicros, facilitator }: PricedOffer,
  { host, key: endpoint }: CanonicalUrl,
  keepUrl: boolean,
): PaymentIntent {
  const url = withoutFragment(call.url)
  return Object.freeze({
    url: keepUrl ? url : hideQuery(url, endpoint),
    endpoint,
    host,
    method: call.method,
    network: offer.network,
    asset: offer.asset,
    payTo: offer.payTo,
    scheme: facilitator === null ? 'exact' : 'upto',
    facilitator,
    amountAtomic: offer.amountAtomic,
    amountUsd: formatUsdc(usdMicros),
    maxTimeoutSeconds: offer.maxTimeoutSeconds,
  })
}
