import { findProtocolConflict, type ProtocolConflict, priceOf } from '../protocolConflict.ts'
import { compareResource } from '../resource.ts'
import { isSameSite } from '../sameSite.ts'
import { type Challenge, type ChallengeProblemCode, X402_HEADERS } from '../x402.ts'
import type { ScanAnswer, ScannedTerms } from './answer.ts'
import { SCAN_CHECK_IDS, SCAN_CHECKS, type ScanCheckId, type ScanResult } from './checks.ts'
import { OFFER_CHECKS } from './offers.ts'
import { findStockFault } from './stockReader.ts'

/** Default size of nginx' buffer for the head of a proxied answer, in bytes. Source: nginx, `proxy_buffer_size`. */
const MAX_HEAD = 4096
const REFUSED_INPUT = new Set([400, 415, 422])
const LOOPBACK = /^http:\/\/(localhost|127(\.\d+){3}|\[::1\]|[^/:]+\.localhost)(:\d+)?\//

/** Problems that have a check of their own, or none here. */
const ELSEWHERE: ReadonlySet<ChallengeProblemCode> = new Set([
  'challenge_misplaced',
  'payto_malformed',
  'protocol_other',
])

/**
 * Runs all checks that need no chain and no history on the terms of an endpoint, the most serious first.
 * @param url canonical URL that was asked
 */
export function scanTerms(url: string, terms: ScannedTerms): ScanResult[] {
  return SCAN_CHECK_IDS.map((id) => {
    const { severity, passed, failed } = SCAN_CHECKS[id]
    const found = check(id, url, terms)
    const outcome = found === undefined ? 'unknown' : found === null ? 'pass' : 'fail'
    return { id, severity, outcome, title: outcome === 'fail' ? failed : passed, detail: found ?? '' }
  })
}

/** Returns what is wrong, null if nothing is, or undefined if it cannot be said. */
function check(id: ScanCheckId, url: string, terms: ScannedTerms): string | null | undefined {
  const { answer, challenge } = terms
  if (id === 'insecure_http') return /^https:/.test(url) || LOOPBACK.test(url) ? null : ''
  if (answer === null) return id === 'no_challenge' ? 'The endpoint did not answer.' : undefined
  if (id === 'no_challenge') return whyNoChallenge(answer, challenge)
  if (id === 'input_before_payment') return findRefusedInput(terms)
  if (id === 'offer_malformed')
    return challenge === null ? undefined : (findMalformed(challenge) ?? findStumble(challenge, answer))
  if (challenge === null || challenge.offers.length === 0) return undefined
  if (id in OFFER_CHECKS) return OFFER_CHECKS[id as keyof typeof OFFER_CHECKS](challenge)
  return checkChallenge(id, url, challenge, answer)
}

function checkChallenge(
  id: ScanCheckId,
  url: string,
  challenge: Challenge,
  { headers }: ScanAnswer,
): string | null | undefined {
  switch (id) {
    case 'challenge_misplaced': {
      const isMisplaced = challenge.problems.some(({ code }) => code === 'challenge_misplaced')
      return isMisplaced ? `The offers are in the ${challenge.offers[0]?.source}.` : null
    }
    case 'terms_disagree': {
      const [first] = challenge.disagreements
      return first === undefined
        ? null
        : `Offers on ${first.network} differ in ${first.field}: ${first.values.join(', ')}.`
    }
    case 'protocols_disagree': {
      const conflict = findProtocolConflict(challenge)
      return conflict && describeConflict(conflict)
    }
    case 'resource_mismatch':
      return compareResource(challenge.resource, url, isSameSite) === 'fits'
        ? null
        : 'Guards refuse to pay for the resource of another host.'
    case 'challenge_cached':
      return isCacheable(headers['cache-control'] ?? '') ? 'Cache-Control allows it.' : null
    case 'head_too_large': {
      const bytes = headBytes(headers)
      return bytes > MAX_HEAD
        ? `It has ${bytes} bytes; nginx cuts answers off at ${MAX_HEAD} by default, and agents behind it get a 502.`
        : null
    }
    case 'input_undeclared':
      return challenge.declaresInput ? null : ''
    case 'output_undeclared':
      return challenge.declaresOutput ? null : ''
    default:
      return undefined
  }
}

function describeConflict({ offer, other, differs }: ProtocolConflict): string {
  const [ours, theirs] = [priceOf(offer), priceOf(other)]
  const asked = [
    `${ours === null ? offer.amountAtomic : `$${ours}`} by x402`,
    `${theirs === null ? other.amountAtomic : `$${theirs}`} by ${other.protocol === 'mpp' ? 'MPP' : 'L402'}`,
  ].join(' and ')
  return `It asks ${asked}${differs.receiver ? ' to another receiver' : ''}.`
}

function whyNoChallenge({ status, method }: ScanAnswer, challenge: Challenge | null): string | null {
  if (challenge === null) return `The answer to an unpaid ${method} has status ${status} instead of 402.`
  if (challenge.offers.length > 0) return null
  const [problem] = challenge.problems
  if (problem?.code === 'protocol_other') return 'The 402 asks for payment by another protocol than x402.'
  return problem === undefined
    ? 'The 402 has no terms in header or body.'
    : `The 402 has no usable offer: ${describe(problem)}.`
}

/** A problem that has a check of its own is not told twice. */
function findStumble(challenge: Challenge, { headers }: ScanAnswer): string | null {
  const header = headers[X402_HEADERS.required.toLowerCase()] ?? null
  return challenge.problems.length > 0 ? null : findStockFault(challenge, header)
}

function findMalformed({ problems }: Challenge): string | null {
  const problem = problems.find(({ code }) => !ELSEWHERE.has(code))
  return problem === undefined ? null : `Found: ${describe(problem)}.`
}

function describe({ code, source, index }: Challenge['problems'][number]): string {
  const place = index === undefined ? '' : `, entry ${index}`
  return `${code.replaceAll('_', ' ')} (${source}${place})`
}

function findRefusedInput({ answers }: ScannedTerms): string | null | undefined {
  // A GET that is refused where POST asks for payment is no call of the endpoint.
  if (answers.some(({ status }) => status === 402)) return null
  const refused = answers.findLast(({ status }) => REFUSED_INPUT.has(status))
  return refused && `An unpaid ${refused.method} without input has status ${refused.status}.`
}

function isCacheable(control: string): boolean {
  return /\bpublic\b|\b(s-)?max-?age=[1-9]/i.test(control) && !/\b(no-store|private)\b/i.test(control)
}

/** Size of a response head as HTTP/1.1 sends it, in bytes; the status line is left out. */
function headBytes(headers: ScanAnswer['headers']): number {
  const encoder = new TextEncoder()
  return Object.entries(headers).reduce(
    (sum, [name, value]) => sum + encoder.encode(`${name}: ${value}\r\n`).length,
    0,
  )
}
