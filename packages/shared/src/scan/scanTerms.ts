import { PaymentRequiredV1Schema, PaymentRequiredV2Schema } from '@x402/core/schemas'
import { describeProblem } from '../describeProblem.ts'
import { findProtocolConflict, type ProtocolConflict, priceOf } from '../protocolConflict.ts'
import { compareResource, isSecureUrl } from '../resource.ts'
import { isSameSite } from '../sameSite.ts'
import { type Challenge, type ChallengeProblem, type ChallengeProblemCode, X402_HEADERS } from '../x402.ts'
import type { ScanAnswer, ScannedTerms } from './answer.ts'
import { SCAN_CHECK_IDS, SCAN_CHECKS, type ScanCheckId, type ScanResult } from './checks.ts'
import { change, changeEntry, type Fault, type ValueToChange } from './fault.ts'
import { OFFER_CHECKS } from './offers.ts'
import { notTested } from './untested.ts'

/** Default size of nginx' buffer for the head of a proxied answer, in bytes. Source: nginx, `proxy_buffer_size`. */
const MAX_HEAD = 4096
const REFUSED_INPUT = new Set([400, 415, 422])
/** Problems that have a separate check, or none here. */
const ELSEWHERE: ReadonlySet<ChallengeProblemCode> = new Set([
  'challenge_misplaced',
  'payto_malformed',
  'protocol_other',
])
// The base64 that the stock reader accepts. Source: @x402/core, `Base64EncodedRegex`.
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/**
 * Runs all checks that need no chain and no history on the terms of an endpoint, the most serious first.
 * @param url canonical URL that was asked
 */
export function scanTerms(url: string, terms: ScannedTerms): ScanResult[] {
  return SCAN_CHECK_IDS.map((id) => {
    const { severity, passed, failed } = SCAN_CHECKS[id]
    const fault = findFault(id, url, terms)
    const outcome = fault === undefined ? 'unknown' : fault === null ? 'pass' : 'fail'
    const title = outcome === 'fail' ? failed : passed
    const detail = fault === undefined ? notTested(whyUntested(terms)) : (fault?.detail ?? '')
    return { id, severity, outcome, title, detail }
  })
}

const whyUntested = ({ answer }: ScannedTerms): string =>
  answer === null ? 'the endpoint did not answer' : 'no terms were read'

/** Finds the value to change for a failed check; undefined where it is no single value. */
export function findValueToChange(
  id: ScanCheckId,
  url: string,
  terms: ScannedTerms,
): ValueToChange | undefined {
  return findFault(id, url, terms)?.change
}

/** Returns the fault; null if there is none, undefined if it cannot be checked. */
function findFault(id: ScanCheckId, url: string, terms: ScannedTerms): Fault | null | undefined {
  const { answer, challenge } = terms
  if (id === 'insecure_http') return findInsecure(url)
  if (answer === null) return id === 'no_challenge' ? { detail: 'The endpoint did not answer.' } : undefined
  if (id === 'no_challenge') return whyNoChallenge(answer, challenge)
  if (id === 'input_before_payment') return findRefusedInput(terms)
  if (challenge === null) return undefined
  if (id === 'offer_malformed') return findMalformed(challenge, answer)
  if (challenge.offers.length === 0) return undefined
  if (id in OFFER_CHECKS) return OFFER_CHECKS[id as keyof typeof OFFER_CHECKS](challenge)
  return checkChallenge(id, url, challenge, answer)
}

function findInsecure(url: string): Fault | null {
  if (isSecureUrl(url)) return null
  return { detail: '', change: change('the URL', url, url.replace(/^http:/, 'https:')) }
}

function whyNoChallenge({ status, method }: ScanAnswer, challenge: Challenge | null): Fault | null {
  if (challenge === null) {
    const detail = `The answer to an unpaid ${method} has status ${status} instead of 402.`
    return { detail, change: change(`the status of an unpaid ${method}`, status, '402') }
  }
  if (challenge.offers.length > 0) return null
  const [problem] = challenge.problems
  if (problem === undefined) return { detail: 'The 402 has no terms in header or body.' }
  const detail =
    problem.code === 'protocol_other'
      ? 'The 402 asks for payment by another protocol than x402.'
      : `The 402 has no usable offer: ${describe(challenge, problem)}.`
  return { detail, change: wholeEntry(challenge, problem) }
}

function findRefusedInput({ answers }: ScannedTerms): Fault | null | undefined {
  // A GET that is refused where POST asks for payment is no call of the endpoint.
  if (answers.some(({ status }) => status === 402)) return null
  const refused = answers.findLast(({ status }) => REFUSED_INPUT.has(status))
  if (refused === undefined) return undefined
  const { method, status } = refused
  const detail = `An unpaid ${method} without input has status ${status}.`
  return { detail, change: change(`the status of an unpaid ${method}`, status, '402') }
}

function findMalformed(challenge: Challenge, answer: ScanAnswer): Fault | null {
  const problem = challenge.problems.find(({ code }) => !ELSEWHERE.has(code))
  if (problem !== undefined)
    return { detail: `Found: ${describe(challenge, problem)}.`, change: wholeEntry(challenge, problem) }
  // A problem with a separate check is not reported twice.
  return challenge.problems.length > 0 ? null : findStockFault(challenge, answer)
}

/**
 * Finds what another client may stumble on: an encoding that the stock reader refuses, or the first field that the
 * official schema refuses.
 */
function findStockFault({ header: v2, body: v1 }: Challenge, { headers }: ScanAnswer): Fault | null {
  const header = headers[X402_HEADERS.required.toLowerCase()]
  if (v2 !== null && header !== undefined && !BASE64.test(header))
    return { detail: 'The header is base64url, which the stock reader refuses; it takes base64.' }
  for (const document of [v2, v1]) {
    const schema = document?.x402Version === 2 ? PaymentRequiredV2Schema : PaymentRequiredV1Schema
    const [issue] = document === null ? [] : (schema.safeParse(document).error?.issues ?? [])
    if (issue === undefined) continue
    const isFieldName = (part: unknown) => /^([a-zA-Z]{1,24}|\d{1,3})$/.test(String(part))
    const field = issue.path.map((part) => (isFieldName(part) ? part : '…')).join('.')
    const isMissing = issue.code === 'invalid_type' && issue.received === 'undefined'
    return { detail: `The official schema refuses \`${field}\`${isMissing ? ', which is missing' : ''}.` }
  }
  return null
}

const wholeEntry = (challenge: Challenge, problem: ChallengeProblem) =>
  changeEntry(challenge, problem, 'an entry with every required field')

function describe(challenge: Challenge, problem: ChallengeProblem): string {
  const { code, source, index } = problem
  const value = describeProblem(challenge, problem)
  if (value !== undefined) return `${value} (${source})`
  const place = index === undefined ? '' : `, entry ${index}`
  return `${code.replaceAll('_', ' ')} (${source}${place})`
}

function checkChallenge(
  id: ScanCheckId,
  url: string,
  challenge: Challenge,
  { headers }: ScanAnswer,
): Fault | null | undefined {
  const [first] = challenge.offers
  const isV2 = first?.x402Version === 2
  switch (id) {
    case 'challenge_misplaced': {
      if (!challenge.problems.some(({ code }) => code === 'challenge_misplaced')) return null
      const [read, want] = isV2 ? ['the body', V2_HEADER] : [V2_HEADER, 'the body']
      const detail = `The offers are in the ${first?.source}.`
      return { detail, change: change('the place of the challenge', read, want) }
    }
    case 'terms_disagree': {
      const [found] = challenge.disagreements
      if (found === undefined) return null
      const values = found.values.join(', ')
      const detail = `Offers on ${found.network} differ in ${found.field}: ${values}.`
      return { detail, change: change(`${found.field} in header and body`, values, 'the same value') }
    }
    case 'protocols_disagree': {
      const conflict = findProtocolConflict(challenge)
      return conflict && describeConflict(conflict)
    }
    case 'resource_mismatch': {
      if (compareResource(challenge.resource, url, isSameSite) === 'fits') return null
      const field = challenge.header === null ? 'resource' : 'resource.url'
      const detail = 'Guards refuse to pay for the resource of another host.'
      return { detail, change: change(field, challenge.resource, url) }
    }
    case 'challenge_cached': {
      const control = headers['cache-control'] ?? ''
      if (!isCacheable(control)) return null
      const detail = 'Cache-Control allows it.'
      return { detail, change: change('the header Cache-Control', control, 'no-store') }
    }
    case 'head_too_large': {
      const bytes = headBytes(headers)
      if (bytes <= MAX_HEAD) return null
      const cut = `nginx cuts answers off at ${MAX_HEAD} by default, and agents behind it get a 502`
      return { detail: `It has ${bytes} bytes; ${cut}.` }
    }
    case 'input_undeclared':
      return challenge.declaresInput ? null : undeclared('input', isV2)
    case 'output_undeclared':
      return challenge.declaresOutput ? null : undeclared('output', isV2)
    default:
      return undefined
  }
}

const V2_HEADER = 'the header PAYMENT-REQUIRED'

function undeclared(side: 'input' | 'output', isV2: boolean): Fault {
  const where = isV2 ? 'extensions.bazaar.info' : 'outputSchema'
  return { detail: '', change: change(`${where}.${side}`, undefined, 'an example') }
}

function describeConflict({ offer, other, differs }: ProtocolConflict): Fault {
  const say = (dollars: number | null, atomic: string | null) => (dollars === null ? atomic : `$${dollars}`)
  const ours = `${say(priceOf(offer), offer.amountAtomic)} by x402`
  const theirs = `${say(priceOf(other), other.amountAtomic)} by ${other.protocol === 'mpp' ? 'MPP' : 'L402'}`
  const detail = `It asks ${ours} and ${theirs}${differs.receiver ? ' to another receiver' : ''}.`
  const where = `the header WWW-Authenticate (${other.protocol})`
  return {
    detail,
    change: differs.receiver
      ? change(`${where}, receiver`, other.payTo, offer.payTo)
      : change(`${where}, amount`, other.amountAtomic, `the price of x402, ${offer.amountAtomic}`),
  }
}

function isCacheable(control: string): boolean {
  return /\bpublic\b|\b(s-)?max-?age=[1-9]/i.test(control) && !/\b(no-store|private)\b/i.test(control)
}

/** Size of a response head as HTTP/1.1 sends it, in bytes; the status line is left out. */
function headBytes(headers: ScanAnswer['headers']): number {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return new TextEncoder().encode(head.join('')).length
}
