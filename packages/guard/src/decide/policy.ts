import { type CanonicalUrl, type Challenge, sameAddress, usdToAtomic } from '@touchstone402/shared'
import type { ReasonCode } from '../reasons.ts'
import type { CheckedVerdict, VerdictState } from '../types.ts'
import { budgetLimits, checkBudget, type LedgerView } from './budget.ts'
import type { Policy } from './policyTypes.ts'
import { type Candidate, screen } from './screen.ts'

/** Everything that a decision rests on. */
export type DecisionInput = {
  policy: Policy
  url: CanonicalUrl
  challenge: Challenge
  verdict: VerdictState
  /** What the ledger knows, for a candidate's network and asset. */
  ledger: (candidate: Candidate) => LedgerView
  /** Whether `verdict` was measured just now, by a live check. */
  isLive?: boolean
}

/** What to do with a challenge. */
export type Decision =
  | { outcome: 'allow'; chosen: Candidate }
  /** Somebody has to approve; without an answer it is a refusal with this code. */
  | { outcome: 'ask'; chosen: Candidate; code: ReasonCode }
  /** A live check would settle it; where none can be had it is a refusal with this code. */
  | { outcome: 'liveCheck'; chosen: Candidate; code: ReasonCode }
  | { outcome: 'block'; code: ReasonCode; chosen?: Candidate }

/**
 * Decides on a challenge. Pure and total: the same input has the same answer, and nothing throws.
 *
 * The cheapest offer that meets everything wins. When none does, the reason is that of the offer that came
 * furthest, so that a swapped receiver is called that and not, say, a foreign network beside it.
 */
export function decide(input: DecisionInput): Decision {
  const screened = screen(input.policy, input.url, input.challenge)
  if ('code' in screened) return { outcome: 'block', code: screened.code }
  const judged = screened.candidates.map((candidate) => judge(input, candidate))
  judged.sort((a, b) => RANK[a.outcome] - RANK[b.outcome] || compareWithin(a, b))
  return judged[0] ?? { outcome: 'block', code: 'CHALLENGE_MALFORMED' }
}

const RANK = { allow: 0, liveCheck: 1, ask: 2, block: 3 } as const

type Judged = Decision & { chosen: Candidate }

function compareWithin(a: Judged, b: Judged): number {
  if (a.outcome === 'block' && b.outcome === 'block')
    return PROGRESS.indexOf(b.code) - PROGRESS.indexOf(a.code)
  return a.chosen.usdMicros < b.chosen.usdMicros ? -1 : a.chosen.usdMicros > b.chosen.usdMicros ? 1 : 0
}

// The order in which an offer meets its checks; a later code means that more of them were met.
const PROGRESS: readonly ReasonCode[] = [
  'NO_DELIVERY_STRIKE',
  'VERDICT_UNAVAILABLE',
  'VERDICT_AVOID',
  'TERMS_NOT_CHECKED',
  'RECEIVER_NOT_CHECKED',
  'PRICE_ABOVE_CHECKED',
  'RECEIVER_PIN_MISMATCH',
  'SCORE_TOO_LOW',
  'OVER_PAYMENT_LIMIT',
  'OVER_HOST_DAY_LIMIT',
  'OVER_DAY_LIMIT',
  'OVER_TOTAL_LIMIT',
  'TOO_MANY_PAYMENTS',
  'PAYMENT_LOOP',
  'VERDICT_CAUTION',
  'VERDICT_UNKNOWN',
  'VERDICT_THIN',
]

function judge(input: DecisionInput, chosen: Candidate): Judged {
  const { policy } = input
  const view = input.ledger(chosen)
  const limits = budgetLimits(policy)
  const block = (code: ReasonCode): Judged => ({ outcome: 'block', code, chosen })
  if (view.strikes > limits.maxStrikes) return block('NO_DELIVERY_STRIKE')
  if (input.verdict.state === 'unavailable') {
    return block(input.verdict.lastSeen === 'avoid' ? 'VERDICT_AVOID' : 'VERDICT_UNAVAILABLE')
  }
  const { verdict } = input.verdict
  const refused = refuseByVerdict(policy, verdict, chosen) ?? refuseByPin(policy, verdict, view, chosen)
  if (refused !== null) return block(refused)
  if (policy.minScore > 0 && (verdict.score === undefined || verdict.score < policy.minScore)) {
    return block('SCORE_TOO_LOW')
  }
  const over = checkBudget(limits, view, chosen.usdMicros)
  if (over !== null) return block(over)
  return weigh(policy, verdict, chosen, input.isLive === true)
}

function refuseByVerdict(policy: Policy, verdict: CheckedVerdict, { offer }: Candidate): ReasonCode | null {
  if (isBlocked(policy, verdict.verdict)) return VERDICT_CODES[verdict.verdict]
  // What was never measured has no terms to hold an offer against; the amount alone bounds it.
  if (verdict.verdict === 'unknown' && verdict.terms.length === 0) return null
  const sameAsset = verdict.terms.filter(
    (term) =>
      term.scheme === offer.scheme && term.network === offer.network && sameAddress(term.asset, offer.asset),
  )
  if (sameAsset.length === 0) return 'TERMS_NOT_CHECKED'
  // Sellers who use a deposit address a payment are known for it, and never better than caution.
  const rotates = verdict.flags.includes('payto_rotates')
  const same = rotates ? sameAsset : sameAsset.filter((term) => sameAddress(term.payTo, offer.payTo))
  if (same.length === 0) return 'RECEIVER_NOT_CHECKED'
  const withinPrice = same.some((term) => BigInt(offer.amountAtomic) <= BigInt(term.amountAtomicMax))
  return withinPrice ? null : 'PRICE_ABOVE_CHECKED'
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

function refuseByPin(
  policy: Policy,
  verdict: CheckedVerdict,
  { pinnedReceiver }: LedgerView,
  { offer }: Candidate,
): ReasonCode | null {
  if (!policy.pinReceivers || pinnedReceiver === null || sameAddress(pinnedReceiver, offer.payTo)) return null
  if (verdict.flags.includes('payto_rotates')) return null
  // A replacement that was announced, or that has stood long enough, is one that the service calls stable.
  const announced = verdict.terms.length > 0 && verdict.receiverStability === 'stable'
  return announced ? null : 'RECEIVER_PIN_MISMATCH'
}

function weigh(policy: Policy, verdict: CheckedVerdict, chosen: Candidate, isLive: boolean): Judged {
  const allow: Judged = { outcome: 'allow', chosen }
  // `avoid` comes this far only where the policy took it out of `block`; it is never better than caution.
  const isAvoid = verdict.verdict === 'avoid'
  if (isAvoid || verdict.verdict === 'caution' || verdict.flags.includes('payto_rotates')) {
    if (policy.onCaution === 'allow') return allow
    const outcome = policy.onCaution === 'ask' ? 'ask' : 'block'
    return { outcome, code: isAvoid ? 'VERDICT_AVOID' : 'VERDICT_CAUTION', chosen }
  }
  const isThin = verdict.receiverStability !== 'stable' || verdict.probes < 3
  if (verdict.verdict === 'safe' && !isThin) return allow
  if (chosen.usdMicros <= usdToAtomic(policy.onUnknown.allowUpToUsd)) return allow
  const code = VERDICT_CODES[verdict.verdict]
  if (chosen.usdMicros > usdToAtomic(policy.onUnknown.liveCheckUpToUsd)) {
    return { outcome: 'block', code, chosen }
  }
  // A live check that found it safe is the answer to both doubts; one that still does not know is none.
  if (isLive) return verdict.verdict === 'safe' ? allow : { outcome: 'block', code, chosen }
  return { outcome: 'liveCheck', code, chosen }
}
