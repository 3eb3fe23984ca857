import {
  type CanonicalUrl,
  DELIVERY_PRICE_FACTOR,
  type Offer,
  sameAddress,
  usdToAtomic,
} from '@touchstone402/shared'
import { BUDGET_CODES, type ReasonCode } from '../reasons.ts'
import type { CheckedTerm, CheckedVerdict, VerdictState } from '../types.ts'
import {
  type BudgetLimits,
  budgetLimits,
  checkBudget,
  type LedgerView,
  type PaidPrice,
  type SpendingCap,
} from './budget.ts'
import { type HostTerms, hostTerms } from './hosts.ts'
import type { FullChallenge } from './otherProtocols.ts'
import type { Policy } from './policySchema.ts'
import { type Passed, type PricedOffer, screen } from './screen.ts'
import { standingOf } from './standing.ts'

/** A price of before, and the most that is paid now without approval. */
export type UsualPrice = PaidPrice & {
  /** Paid at this endpoint, or at other endpoints of the host, or measured by the service. */
  seen: 'here' | 'elsewhere' | 'measured'
  /** Millionths of a dollar. */
  most: bigint
}

/** Facts that decide between the offers that passed {@link screen}. */
type Facts = {
  policy: Policy
  /** Limits of the host. */
  terms: HostTerms
  /** Of the call, in upper case. */
  method: string
  /** Null for a guard without a service. */
  verdict: VerdictState | null
  /** Returns the ledger's view of a candidate. */
  ledger: (candidate: PricedOffer) => LedgerView
  /** Whether `verdict` comes from a live check. */
  isLive?: boolean
}

/** Inputs of a decision. */
export type DecisionInput = Omit<Facts, 'terms'> & {
  url: CanonicalUrl
  challenge: FullChallenge
  /** Caps of the call and its task. @default none */
  cap?: SpendingCap
}

/**
 * Outcome for a challenge.
 * @example
 * const reason = (decision: Decision) => (decision.outcome === 'allow' ? null : decision.code)
 */
export type Decision =
  /** `isVouched` is false for payments without a full verdict, which have a separate budget. */
  | { outcome: 'allow'; chosen: PricedOffer; isVouched: boolean }
  /** Needs approval; without it, a refusal with this code. `usual` is the price that the offer's was compared with. */
  | { outcome: 'ask'; chosen: PricedOffer; code: ReasonCode; usual?: UsualPrice }
  /** Needs a live check; without it, a refusal with this code. */
  | { outcome: 'liveCheck'; chosen: PricedOffer; code: ReasonCode }
  | { outcome: 'block'; code: ReasonCode; chosen?: PricedOffer }

/**
 * Decides on a challenge. Pure and total.
 *
 * Chooses the cheapest offer that passes all checks. If none passes, the code is that of the offer that failed last:
 * a changed receiver is reported as such even if another offer uses a foreign network.
 * @example
 * const stricter = decide({ ...input, policy: parsePolicy({ minScore: 90 }) })
 * if (stricter.outcome === 'block') console.log(stricter.code)
 */
export function decide(input: DecisionInput): Decision {
  const { policy, url, challenge, cap, verdict } = input
  const screened = screen(policy, url, challenge)
  if ('code' in screened) return { outcome: 'block', code: screened.code }
  const terms = hostTerms(policy, url)
  return decideAmong(screened, budgetLimits(policy, cap, verdict === null, terms), { ...input, terms })
}

/** Decides between the offers that passed {@link screen}, at least one. */
export function decideAmong({ candidates, siteHost }: Passed, limits: BudgetLimits, facts: Facts): Judged {
  const judged = candidates.map((candidate) => judge(facts, limits, candidate, siteHost))
  return judged.reduce((best, next) => (compare(next, best) < 0 ? next : best))
}

const RANK = { allow: 0, liveCheck: 1, ask: 2, block: 3 } as const

type Judged = Decision & { chosen: PricedOffer }

function compare(a: Judged, b: Judged): number {
  if (a.outcome !== b.outcome) return RANK[a.outcome] - RANK[b.outcome]
  if (a.outcome === 'block' && b.outcome === 'block')
    return PROGRESS.indexOf(b.code) - PROGRESS.indexOf(a.code)
  return a.chosen.usdMicros < b.chosen.usdMicros ? -1 : 1
}

// Order of the checks of an offer.
const PROGRESS: readonly ReasonCode[] = [
  'NO_DELIVERY_STRIKE',
  'VERDICT_UNAVAILABLE',
  'RESOURCE_MISMATCH',
  'VERDICT_AVOID',
  'RISK_TOO_HIGH',
  'TERMS_NOT_CHECKED',
  'RECEIVER_NOT_CHECKED',
  'PRICE_ABOVE_CHECKED',
  'RECEIVER_PIN_MISMATCH',
  'SCORE_TOO_LOW',
  'DELIVERY_NOT_PROVEN',
  ...BUDGET_CODES,
  'VERDICT_CAUTION',
  'VERDICT_UNKNOWN',
  'VERDICT_THIN',
]

function judge(facts: Facts, limits: BudgetLimits, chosen: PricedOffer, siteHost?: string): Judged {
  const { policy } = facts
  const view = facts.ledger(chosen)
  const block = (code: ReasonCode): Judged => ({ outcome: 'block', code, chosen })
  if (view.struckUntil !== null) return block('NO_DELIVERY_STRIKE')
  if (facts.verdict?.state === 'unavailable') {
    return block(facts.verdict.lastSeen === 'avoid' ? 'VERDICT_AVOID' : 'VERDICT_UNAVAILABLE')
  }
  const verdict = facts.verdict?.verdict ?? null
  if (siteHost !== undefined && verdict?.resourceHosts?.includes(siteHost) !== true) {
    return block('RESOURCE_MISMATCH')
  }
  const refused =
    verdict && (refuseByVerdict(facts, verdict, chosen) ?? refuseByPin(policy, verdict, view, chosen))
  if (refused !== null) return block(refused)
  if (policy.minScore > 0 && (verdict?.score === undefined || verdict.score < policy.minScore)) {
    return block('SCORE_TOO_LOW')
  }
  if (lacksDelivery(policy, verdict, chosen)) return block('DELIVERY_NOT_PROVEN')
  const { usdMicros } = chosen
  const over = checkBudget(limits, view, { usdMicros, isVouched: true })
  if (over !== null) return block(over)
  const weighed = verdict === null ? weighAlone(facts, view, chosen) : weigh(facts, verdict, chosen)
  if (weighed.outcome !== 'allow') return weighed
  const question = findUnusual(facts, verdict, view, chosen) ?? askAboutAmount(facts, chosen)
  // Who approves a payment vouches for it.
  const isVouched = question !== null || weighed.isVouched
  const overUnknown = checkBudget(limits, view, { usdMicros, isVouched })
  if (overUnknown !== null) return block(overUnknown)
  return question ?? weighed
}

/** Whether the policy asks for a delivery at this price, and the verdict states none. */
function lacksDelivery(
  { requireDeliveryAboveUsd: above }: Policy,
  verdict: CheckedVerdict | null,
  { usdMicros }: PricedOffer,
): boolean {
  if (above === null || usdMicros <= usdToAtomic(above)) return false
  const { status, paidUsd } = verdict?.delivery ?? {}
  const most = Math.round(DELIVERY_PRICE_FACTOR * 1e6 * (paidUsd ?? 0))
  return status !== 'delivered' || usdMicros > BigInt(most)
}

/** Weighs a payment that no service vouches for: whether the seller is new. */
function weighAlone({ policy, terms }: Facts, { deliveries }: LedgerView, chosen: PricedOffer): Judged {
  if (isBlocked(policy, 'unknown')) return { outcome: 'block', code: 'VERDICT_UNKNOWN', chosen }
  const isNamed = policy.allowHosts.length > 0 || terms.group !== null
  return { outcome: 'allow', chosen, isVouched: isNamed || deliveries >= policy.newSeller.deliveries }
}

/** Returns the question about an amount that the policy leaves to a person; null if it does not. */
function askAboutAmount({ terms: { askAboveUsd } }: Facts, chosen: PricedOffer): Judged | null {
  const isAsked = askAboveUsd !== null && chosen.usdMicros > usdToAtomic(askAboveUsd)
  return isAsked ? { outcome: 'ask', code: 'OVER_ASK_LIMIT', chosen } : null
}

/** Returns the question about terms that differ from earlier ones at the endpoint; null if none do. */
function findUnusual(
  facts: Facts,
  verdict: CheckedVerdict | null,
  view: LedgerView,
  chosen: PricedOffer,
): Judged | null {
  if (verdict === null && breaksPin(facts.policy, view.pinnedReceiver, chosen.offer))
    return { outcome: 'ask', code: 'RECEIVER_PIN_MISMATCH', chosen }
  if (verdict === null && view.isNewAsset) return { outcome: 'ask', code: 'TERMS_NOT_USUAL', chosen }
  const usual = findUsual(facts, verdict, view, chosen)
  if (usual === null || chosen.usdMicros <= usual.most) return null
  return { outcome: 'ask', code: 'PRICE_NOT_USUAL', usual, chosen }
}

/**
 * Returns the price that an offer is compared with; null if nothing was paid or measured. What others have paid can only
 * make this one ask: the lesser bound holds.
 */
function findUsual(
  { terms, method }: Facts,
  verdict: CheckedVerdict | null,
  { usual, dearestAtHost }: LedgerView,
  { offer, amount, usdMicros }: PricedOffer,
): UsualPrice | null {
  const compare = (seen: UsualPrice['seen'], paid: PaidPrice, least = 0n): UsualPrice => {
    const most = paid.usdMicros * BigInt(terms.priceFactor)
    return { ...paid, seen, most: most > least ? most : least }
  }
  const here = usual && compare('here', usual)
  if (here && !usual?.isOfOthers) return here
  const [measured] = (verdict?.terms ?? [])
    .filter((term) => isSameAsset(term, { offer }) && isForMethod(term, method))
    .map((term) => (usdMicros * BigInt(term.amountAtomicMin)) / amount)
    .toSorted((a, b) => (a < b ? -1 : 1))
  const atHost = verdict === null && dearestAtHost
  const other = atHost
    ? compare('elsewhere', atHost, usdToAtomic(terms.furtherCallUsd))
    : measured !== undefined && compare('measured', { usdMicros: measured, at: null })
  return other && (here === null || other.most < here.most) ? other : here
}

function refuseByVerdict(
  { policy, method }: Facts,
  verdict: CheckedVerdict,
  chosen: PricedOffer,
): ReasonCode | null {
  const { offer } = chosen
  if (isBlocked(policy, verdict.verdict)) return VERDICT_CODES[verdict.verdict]
  const standing = standingOf(verdict)
  if (isBlocked(policy, standing)) return 'RISK_TOO_HIGH'
  // An endpoint that was never measured has no terms; the amount alone limits it.
  if (standing === 'unknown' && verdict.terms.length === 0) return null
  const sameAsset = verdict.terms.filter((term) => isSameAsset(term, chosen))
  if (sameAsset.length === 0) return 'TERMS_NOT_CHECKED'
  // Sellers with a deposit address per payment carry this flag, and their verdict is never better than caution.
  const rotates = verdict.flags.includes('payto_rotates')
  const same = rotates ? sameAsset : sameAsset.filter((term) => sameAddress(term.payTo, offer.payTo))
  if (same.length === 0) return 'RECEIVER_NOT_CHECKED'
  // A price checked for another method is no bound; `weigh` limits the amount.
  const bounding = same.filter((term) => isForMethod(term, method))
  const withinPrice = bounding.some((term) => BigInt(offer.amountAtomic) <= BigInt(term.amountAtomicMax))
  return withinPrice || bounding.length === 0 ? null : 'PRICE_ABOVE_CHECKED'
}

const isSameAsset = (term: CheckedTerm, { offer }: Pick<PricedOffer, 'offer'>): boolean =>
  term.scheme === offer.scheme && term.network === offer.network && sameAddress(term.asset, offer.asset)

// A HEAD request is answered like a GET request. Source: RFC 9110 section 9.3.2.
function isForMethod(term: CheckedTerm, method: string): boolean {
  return term.method.toUpperCase() === (method === 'HEAD' ? 'GET' : method)
}

function isBlocked(policy: Policy, verdict: CheckedVerdict['verdict']): boolean {
  return verdict !== 'safe' && policy.block.includes(verdict)
}

const VERDICT_CODES = {
  safe: 'VERDICT_THIN',
  avoid: 'VERDICT_AVOID',
  caution: 'VERDICT_CAUTION',
  unknown: 'VERDICT_UNKNOWN',
} as const satisfies Record<CheckedVerdict['verdict'], ReasonCode>

function breaksPin({ pinReceivers }: Policy, pinned: string | null, { payTo }: Offer): boolean {
  return pinReceivers && pinned !== null && !sameAddress(pinned, payTo)
}

function refuseByPin(
  policy: Policy,
  verdict: CheckedVerdict,
  { pinnedReceiver }: LedgerView,
  { offer }: PricedOffer,
): ReasonCode | null {
  if (!breaksPin(policy, pinnedReceiver, offer) || verdict.flags.includes('payto_rotates')) return null
  // The service calls a changed receiver stable after an announcement or a waiting period.
  const isStable = verdict.terms.length > 0 && verdict.receiverStability === 'stable'
  return isStable ? null : 'RECEIVER_PIN_MISMATCH'
}

function weigh(
  { policy, method, isLive = false }: Facts,
  verdict: CheckedVerdict,
  chosen: PricedOffer,
): Judged {
  const allow: Judged = { outcome: 'allow', chosen, isVouched: true }
  // `avoid` gets here only if the policy does not block it; it is never better than caution.
  const isAvoid = standingOf(verdict) === 'avoid'
  if (isAvoid || verdict.verdict === 'caution' || verdict.flags.includes('payto_rotates')) {
    if (policy.onCaution === 'allow') return allow
    const outcome = policy.onCaution === 'ask' ? 'ask' : 'block'
    return { outcome, code: isAvoid ? 'VERDICT_AVOID' : 'VERDICT_CAUTION', chosen }
  }
  const isChecked = verdict.terms.some((term) => isForMethod(term, method))
  const isThin = !isChecked || verdict.receiverStability !== 'stable' || verdict.probes < 3
  if (verdict.verdict === 'safe' && !isThin) return allow
  if (chosen.usdMicros <= usdToAtomic(policy.onUnknown.allowUpToUsd)) {
    return { ...allow, isVouched: isLive && verdict.verdict === 'safe' }
  }
  const code = VERDICT_CODES[verdict.verdict]
  const block: Judged = { outcome: 'block', code, chosen }
  if (chosen.usdMicros > usdToAtomic(policy.onUnknown.liveCheckUpToUsd)) return block
  // A safe live check makes up for little evidence.
  if (isLive) return isChecked && verdict.verdict === 'safe' ? allow : block
  return { outcome: 'liveCheck', code, chosen }
}
