import {
  type Challenge,
  type ChallengeProblemCode,
  decodeChallenge,
  findProtocolConflict,
  listSignable,
  type SignableOffer,
} from '@touchstone402/shared'
import { OTHER_INPUT } from '../judge/refusals.ts'
import type { Finding } from './classifyFailure.ts'

/** The parts of an HTTP answer that decide its outcome. */
export type AnswerFacts = {
  readonly status: number
  /** `PAYMENT-REQUIRED` header. */
  readonly header: string | null
  /** `WWW-Authenticate` header. */
  readonly authenticate?: string | undefined
  /** Decoded text, or null if absent or unreadable. */
  readonly body: string | null
  /** Whether the raw or decoded body exceeded the limit. */
  readonly isTooLarge: boolean
  /** Whether the body is JSON that some clients read, and that was not read. @default false */
  readonly isHidden?: boolean
  /** Whether a bot filter answered in place of the seller. */
  readonly isBotFilter: boolean
  /** Whether the listing declares the input that was sent. */
  readonly declaresInput: boolean
}

/** Refusals that may be about the prober: its identity, its number of requests, or where it is. */
const BLOCKED = new Set([401, 403, 429, 451])

/** Problems of what is complete, but in a form or on a network that no table has, such as a v1 name in v2. */
const FOREIGN: ReadonlySet<ChallengeProblemCode> = new Set([
  'entry_unsupported',
  'network_unknown',
  'protocol_other',
])

/** A finding, with the challenge and what some client could sign of it. */
type ClassifiedAnswer = Finding & {
  readonly challenge: Challenge | null
  readonly signable: readonly SignableOffer[]
}

/** Classifies an answer. Only a 402 with at least one offer of x402 that some client could sign is `up`. */
export function classifyAnswer(facts: AnswerFacts): ClassifiedAnswer {
  if (facts.status !== 402) return { ...classifyStatus(facts), challenge: null, signable: [] }
  const challenge = decodeChallenge(facts)
  const isForm = challenge.offers.length === 0 && isForeign(challenge)
  const signable = listSignable(facts)
  if (!isForm && signable.some(({ protocol }) => protocol === undefined)) {
    const problems = [...challenge.problems]
    // Clients read the terms from the header, so an oversized body is only a problem, not a failure.
    if (facts.isTooLarge) problems.push({ code: 'body_too_large', source: 'body' })
    if (facts.isHidden === true) problems.push({ code: 'body_hidden', source: 'body' })
    if (findProtocolConflict(challenge) !== null)
      problems.push({ code: 'protocols_disagree', source: 'header' })
    return { outcome: 'up', cause: 'challenge', challenge: { ...challenge, problems }, signable }
  }
  const unsigned = { challenge, signable: [] }
  if (facts.isTooLarge) return { outcome: 'down', cause: 'too_large', ...unsigned }
  if (isForm) return { outcome: 'not_measured', cause: 'unsupported', ...unsigned }
  const isBroken = challenge.problems.some(({ code }) => code !== 'accepts_missing')
  return { outcome: 'down', cause: isBroken ? 'challenge_malformed' : 'no_terms', ...unsigned }
}

/** Returns whether nothing is malformed, but nothing can be judged, which is no fault of the seller. */
function isForeign({ problems }: Challenge): boolean {
  return problems.length > 0 && problems.every(({ code }) => FOREIGN.has(code))
}

function classifyStatus({ status, isBotFilter, declaresInput }: AnswerFacts): Finding {
  if (isBotFilter || BLOCKED.has(status)) return { outcome: 'not_measured', cause: 'blocked' }
  if (status < 300) return { outcome: 'down', cause: 'not_paid' }
  if (status >= 500) return { outcome: 'down', cause: 'server_error' }
  // Handlers may validate input before they ask for payment; history decides whether the route is gone.
  if (OTHER_INPUT.has(status) || (status === 404 && !declaresInput))
    return { outcome: 'not_measured', cause: 'input_needed' }
  if (status === 404 || status === 410) return { outcome: 'down', cause: 'not_found' }
  return { outcome: 'down', cause: 'http_error' }
}
