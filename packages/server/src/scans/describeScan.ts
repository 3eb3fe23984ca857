import { FLAGS, type Flag } from '@touchstone402/shared'
import {
  addFixes,
  detectStack,
  isScanCheck,
  recipeFor,
  SCAN_CHECKS,
  type ScanCheckId,
  type ScannedTerms,
  scanTerms,
} from '@touchstone402/shared/scan'
import { severityOf } from '../domain/explain/reasons.ts'
import type { Time } from '../domain/facts/facts.ts'
import type { EndpointState } from '../domain/facts/hostDocument.ts'
import { bandOf } from '../domain/judge/score.ts'
import { FLAG_SPECS } from '../domain/judge/spec.ts'
import { currentVerdict } from '../domain/publish/verdict.ts'
import type { ScanCheck, ScanResult } from './scanRecord.ts'

const OUTCOMES = ['fail', 'pass', 'unknown']
const SEVERITIES = ['critical', 'warn', 'info']

/** Describes a live check and the checks of the terms alone as one scan. */
export function describeScan(
  state: EndpointState,
  terms: ScannedTerms,
  { isAlive, now }: { readonly isAlive: boolean; readonly now: Time },
): ScanResult {
  const { verdict, score, riskLevel, overruledBy } = currentVerdict(state, now)
  const stack = detectStack(terms.answer?.headers ?? {})
  const reasons = new Map(state.reasons.map((reason) => [reason.code, reason]))
  const raised = (flag: Flag) => state.flags.includes(flag)
  const severityIn = (flag: Flag) => reasons.get(flag)?.severity ?? severityOf(flag)
  const evidenceOf = (flag: string) => [...(reasons.get(flag)?.evidence ?? [])]

  const ofTerms = addFixes(scanTerms(state.endpoint, terms), stack).map((finding): ScanCheck => {
    const { id, outcome } = finding
    // The live check saw more than this one answer.
    if (outcome !== 'fail' && isFlag(id) && raised(id)) {
      const { failed: title, fix } = SCAN_CHECKS[id]
      const detail = reasons.get(id)?.message ?? ''
      const found = { ...finding, outcome: 'fail' as const, severity: severityIn(id), title, detail }
      return { ...found, fix, recipe: recipeFor(id, stack), evidence: evidenceOf(id) }
    }
    return { ...finding, evidence: evidenceOf(id) }
  })
  const ofHistory = FLAGS_WITH_HISTORY.map((id): ScanCheck => {
    const { passed, failed } = FLAG_TEXTS[id]
    const common = { id, severity: severityIn(id), evidence: evidenceOf(id) }
    if (!raised(id)) return { ...common, outcome: isAlive ? 'pass' : 'unknown', title: passed, detail: '' }
    const { meaning, fix } = FLAG_SPECS[id]
    return { ...common, outcome: 'fail', title: failed, detail: reasons.get(id)?.message ?? meaning, fix }
  })
  const isAsking = terms.answer?.status === 402
  return {
    verdict,
    score,
    band: score === null ? null : bandOf(score),
    riskLevel,
    overruledBy,
    scoreVersion: state.scoreVersion,
    method: isAsking ? (terms.answer?.method ?? null) : null,
    stack,
    checks: [...ofTerms, ...ofHistory].sort((a, b) => rankOf(a) - rankOf(b)),
  }
}

function rankOf({ outcome, severity }: ScanCheck): number {
  return OUTCOMES.indexOf(outcome) * SEVERITIES.length + SEVERITIES.indexOf(severity)
}

const isFlag = (id: string): id is Flag => isScanCheck(id) && Object.hasOwn(FLAG_SPECS, id)

/** Headlines of a flag that no check of the terms alone can raise. */
type FlagTexts = Readonly<
  Record<Exclude<Flag, ScanCheckId>, { readonly passed: string; readonly failed: string }>
>

const FLAG_TEXTS: FlagTexts = {
  receiver_sanctioned: {
    passed: 'The receiver is on no sanctions list that was read',
    failed: 'The receiver is on a sanctions list',
  },
  no_delivery: { passed: 'No test purchase went undelivered', failed: 'Test purchases were not delivered' },
  cloaked: { passed: 'The same terms for every client', failed: 'Different clients get different terms' },
  payto_changed: { passed: 'No unannounced change of the receiver', failed: 'The receiver changed' },
  price_bait: {
    passed: 'No price above the listed one',
    failed: 'It asks for more than its listing says',
  },
  payto_rotates: {
    passed: 'One receiver from call to call',
    failed: 'The receiver differs from call to call',
  },
  price_high: { passed: 'The price is usual', failed: 'The price is far above the usual' },
  receiver_never_paid: {
    passed: 'Nothing speaks against the claimed calls',
    failed: 'The receiver was never paid',
  },
  flaky: { passed: 'No record of frequent failures', failed: 'Calls fail often' },
  price_drift: { passed: 'Listings state the price', failed: 'A listing states another price' },
  price_unknown: { passed: 'The price in dollars is known', failed: 'The price in dollars is not known' },
  price_varies: { passed: 'One price from call to call', failed: 'The price varies at random' },
  terms_new: { passed: 'No offer that is not confirmed yet', failed: 'A new offer is not confirmed yet' },
  terms_unproven: {
    passed: 'No new offer to another receiver',
    failed: 'A new offer names another receiver, which nothing proves',
  },
  slow: { passed: 'It answers within 10 seconds', failed: 'It takes 10 seconds or more to answer' },
  receiver_differs_from_listing: {
    passed: "Nothing in the seller's own listing speaks against the receiver",
    failed: "The receiver differs from the seller's own listing",
  },
  receiver_flagged: {
    passed: 'No open incident names the receiver',
    failed: 'The receiver is under an open incident',
  },
  receiver_accused_elsewhere: {
    passed: 'No incident of another host names the receiver',
    failed: 'An incident of another host names the receiver',
  },
  host_accused: { passed: 'The host has no open incident', failed: 'The host is under an open incident' },
  unpayable_by_stock: {
    passed: 'Stock clients can pay it',
    failed: 'Stock clients refuse every offer',
  },
  unverifiable: {
    passed: 'Answer and receiver can be checked from outside',
    failed: 'Answer or receiver cannot be checked from outside',
  },
}

/** The flags that no check of the terms alone can raise. */
const FLAGS_WITH_HISTORY = FLAGS.filter((flag): flag is Exclude<Flag, ScanCheckId> => !isScanCheck(flag))
