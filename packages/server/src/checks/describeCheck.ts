import { asObject, atomicToUsd, FLAGS, type Flag, isFlag, X402_HEADERS } from '@touchstone402/shared'
import {
  addFixes,
  detectStack,
  findValueToChange,
  isScanCheck,
  notTested,
  SCAN_CHECKS,
  type ScanCheckId,
  type ScannedTerms,
  type ScanResult,
  scanTerms,
} from '@touchstone402/shared/scan'
import type { Time } from '../facts/facts.ts'
import type { EndpointState } from '../facts/hostDocument.ts'
import type { CheckFacts } from '../judge/flags/flagRule.ts'
import { FLAG_RULES, severityOf } from '../judge/flags.ts'
import { bandOf } from '../judge/score.ts'
import { currentVerdict } from '../publish/verdict.ts'
import type { CheckedOffer, CheckFinding, CheckResult, RawChallenge } from './checkRecord.ts'

const OUTCOMES = ['fail', 'pass', 'unknown']
const SEVERITIES = ['critical', 'warn', 'info']
/** Maximum number of characters of each part of a challenge that are kept. */
const MAX_RAW = 16_384
const MAX_OFFERS = 20
const MAX_SELLS = 400

/** Inputs of a check besides the endpoint's responses. */
export type CheckContext = CheckFacts & {
  /** Whether the live check got payment terms. */
  readonly isAlive: boolean
  readonly now: Time
}

/** Describes a live check and the checks of the terms alone as one check. */
export function describeCheck(state: EndpointState, terms: ScannedTerms, context: CheckContext): CheckResult {
  const { verdict, score, riskLevel, overruledBy } = currentVerdict(state, context.now)
  const stack = detectStack(terms.answer?.headers ?? {})
  const reasons = new Map(state.reasons.map((reason) => [reason.code, reason]))
  const isRaised = (flag: Flag) => state.flags.includes(flag)
  const severityIn = (flag: Flag) => reasons.get(flag)?.severity ?? severityOf(flag)
  const evidenceOf = (id: string) => [...(reasons.get(id)?.evidence ?? [])]

  const results = scanTerms(state.endpoint, terms)
  // The live check knows the declared input, without which there may be no challenge.
  const needsInput = context.isAlive && terms.challenge === null
  /** The live check saw more than this one answer. */
  const decide = (result: ScanResult): ScanResult => {
    const { id, outcome } = result
    const isUntested = outcome === 'unknown' || id === 'no_challenge'
    if (outcome !== 'fail' && isFlag(id) && isRaised(id)) {
      const detail = reasons.get(id)?.message ?? ''
      return { ...result, outcome: 'fail', severity: severityIn(id), title: SCAN_CHECKS[id].failed, detail }
    }
    if (!needsInput || !isUntested) return result
    const detail = notTested('a call without the declared input gets no terms')
    return { ...result, outcome: 'unknown', title: SCAN_CHECKS[id].passed, detail }
  }
  const ofTerms = addFixes(results.map(decide), stack).map((finding, index): CheckFinding => {
    const { id, outcome } = finding
    const isFailing = outcome === 'fail' && results[index]?.outcome === 'fail'
    const change = isFailing ? findValueToChange(id, state.endpoint, terms) : undefined
    return { ...finding, ...(change && { change }), evidence: evidenceOf(id) }
  })
  const ofHistory = FLAGS_WITH_HISTORY.map((id): CheckFinding => {
    const { meaning, fix, needs } = FLAG_RULES[id]
    const common = { id, title: '', severity: severityIn(id), evidence: evidenceOf(id) }
    if (isRaised(id)) {
      return { ...common, outcome: 'fail', detail: reasons.get(id)?.message ?? meaning, fix }
    }
    const isTested = needs === undefined || needs.isThere(state, context)
    if (context.isAlive && isTested) return { ...common, outcome: 'pass', detail: '' }
    const detail = notTested(context.isAlive && needs !== undefined ? needs.lacks : 'no terms were read')
    return { ...common, outcome: 'unknown', detail }
  })
  const challenge = readRaw(terms)
  return {
    verdict,
    score,
    riskLevel,
    overruledBy,
    stack,
    band: score === null ? null : bandOf(score),
    scoreVersion: state.scoreVersion,
    method: challenge?.method ?? null,
    terms: listOffers(state, terms),
    sells: readSells(terms),
    challenge,
    checks: [...ofTerms, ...ofHistory].sort((a, b) => rankOf(a) - rankOf(b)),
  }
}

function rankOf({ outcome, severity }: CheckFinding): number {
  return OUTCOMES.indexOf(outcome) * SEVERITIES.length + SEVERITIES.indexOf(severity)
}

/** Lists the current terms of the endpoint: from this check, or else from the live check. */
function listOffers({ terms }: EndpointState, { answer, challenge }: ScannedTerms): CheckedOffer[] {
  const method = answer?.method ?? 'GET'
  const offers = (challenge?.offers ?? []).map(
    ({ x402Version, scheme, network, asset, payTo, amountAtomic }) => {
      return { x402Version, scheme, network, asset, payTo, amountAtomic, method }
    },
  )
  const known = terms.map(({ amountAtomicMin, amountAtomicMax, ...term }) => {
    return { ...term, amountAtomic: amountAtomicMax }
  })
  return (offers.length > 0 ? offers : known).slice(0, MAX_OFFERS).map((offer) => ({
    ...offer,
    priceUsd: atomicToUsd(offer.network, offer.asset, BigInt(offer.amountAtomic)),
  }))
}

function readSells({ challenge }: ScannedTerms): string | null {
  const described =
    asObject(challenge?.header?.resource)?.description ?? challenge?.offers[0]?.raw.description
  return typeof described === 'string' && described.trim() !== '' ? described.slice(0, MAX_SELLS) : null
}

function readRaw({ answer, challenge }: ScannedTerms): RawChallenge | null {
  if (answer?.status !== 402) return null
  const sent = answer.headers[X402_HEADERS.required.toLowerCase()] ?? null
  const header = challenge?.header ? JSON.stringify(challenge.header, null, 2) : sent
  const { method, body } = answer
  const isCut = [header, body].some((text) => (text?.length ?? 0) > MAX_RAW)
  return { method, header: header?.slice(0, MAX_RAW) ?? null, body: body?.slice(0, MAX_RAW) ?? null, isCut }
}

/** The flags that no check of the terms alone can raise. */
const FLAGS_WITH_HISTORY = FLAGS.filter((flag): flag is Exclude<Flag, ScanCheckId> => !isScanCheck(flag))
