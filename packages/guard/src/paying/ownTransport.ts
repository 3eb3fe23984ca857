import { decodeChallenge, X402_HEADERS } from '@touchstone402/shared'
import { misconfigured } from '../errors.ts'
import type { PaymentIntent } from '../types.ts'
import { approveNew } from './approve.ts'
import { identifyBody, identifyCall } from './calls/identifyCall.ts'
import { readRequest, urlOf } from './calls/request.ts'
import { reduceChallenge } from './challenge.ts'
import type { GuardContext } from './guardContext.ts'
import { holdsUntil, intentOf } from './paymentFacts.ts'
import { judgeAnswer } from './sendPayment.ts'
import { recordSettlement } from './settlement.ts'

/**
 * A 402 response to judge.
 * @example
 * const challenged: ChallengedResponse = { url, headers: error.response.headers, body: error.response.data }
 */
export type ChallengedResponse = {
  /** URL of the response, after redirects. */
  url: string
  /** @default 'GET' */
  method?: string
  /** A Headers object, or a record with lower-case names. */
  headers: Headers | Record<string, unknown>
  /** The body as text, or parsed. */
  body?: unknown
  /** The body of the request, which distinguishes calls to one URL. */
  requestBody?: BodyInit | null
  /** Distinguishes intended duplicates of a call. @default '' */
  callKey?: string
}

/**
 * An approved 402 that replaces the original for the payment library.
 * @example
 * const amount = ({ intent }: ApprovedResponse) => intent.amountUsd
 */
export type ApprovedResponse = {
  intent: PaymentIntent
  /** Id of the payment, for `guard.resolve`. */
  paymentId: string
  /** `PAYMENT-REQUIRED` header with only the approved entry; null if v2 is not offered. */
  header: string | null
  /** Body with only the approved entry. */
  body: Record<string, unknown>
}

/** Judges a 402 for a client without a `fetch`, such as an axios interceptor, and opens an approval. */
export async function approveResponse(
  context: GuardContext,
  response: ChallengedResponse,
): Promise<ApprovedResponse> {
  const { headers, body } = response
  const readHeader = (name: string) => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name.toLowerCase()]
    return typeof value === 'string' ? value : null
  }
  const challenge = decodeChallenge({
    header: readHeader(X402_HEADERS.required),
    authenticate: readHeader('www-authenticate'),
    body: body === undefined || body === null ? null : typeof body === 'string' ? body : JSON.stringify(body),
  })
  const url = urlOf(response.url)
  const method = (response.method ?? 'GET').toUpperCase()
  const request = readRequest(url, { method, body: response.requestBody ?? null })
  const once = { ...(await identifyCall(request, null)), callKey: response.callKey ?? '' }
  const { openSignIn } = await import('./signIn.ts')
  const signIn = openSignIn(context, { challenge, url, requestedUrl: url, method })
  const approved = response.requestBody === undefined ? null : await identifyBody(request, once.body)
  const call = { method, url, requestedUrl: url, challenge, once, body: approved, traceparent: null }
  const open = await approveNew(context, call)
  if (signIn) signIn.paymentId = open.paymentId
  return { intent: open.intent, paymentId: open.paymentId, ...reduceChallenge(challenge, open.offer) }
}

/**
 * The answer to a request that carried an approved payment.
 * @example
 * const answer: PaidResponse = { status: 200, headers: {}, body: '{"weather":"sunny"}' }
 */
export type PaidResponse = {
  /** HTTP status, 200-599. */
  status: number
  /** A Headers object, or a record of names and values. */
  headers: Headers | Record<string, unknown>
  /** The body as text, bytes, or parsed. Absent, null or empty counts as no delivery. */
  body?: unknown
}

/** Records the answer to a payment that another transport sent; see `guard.report`. */
export async function reportAnswer(
  context: GuardContext,
  paymentId: string,
  answer: PaidResponse | null,
): Promise<void> {
  const { ledger, approvals } = context
  await ledger.refresh()
  const entry = ledger.find(paymentId)
  if (entry === undefined || entry.authorization === null) {
    throw misconfigured(`report: no payment ${paymentId} that was signed`)
  }
  const response = answer === null ? null : toResponse(answer)
  if (response === undefined)
    throw misconfigured('report: expected a status from 200 to 599, and valid headers')
  const open = approvals.find(paymentId)
  if (open !== undefined) approvals.withdraw(open)
  const unseen = { intent: intentOf(context, entry), verdict: null, traceparent: null }
  const { intent, verdict, traceparent } = open ?? unseen
  const sent = { intent, verdict, traceparent, paymentId }
  if (response !== null) return void (await (await judgeAnswer(context, sent, response)).arrayBuffer())
  await ledger.update(paymentId, { delivered: false })
  await recordSettlement(context, sent, null)
}

/** Ends the retries of a payment; see `guard.resolve`. */
export async function resolvePayment(
  context: GuardContext,
  id: string,
  outcome: 'lost' | 'delivered',
): Promise<void> {
  const { ledger, now } = context
  await ledger.refresh()
  const entry = ledger.find(id)
  if (entry === undefined || entry.answered) throw misconfigured(`resolve: no unresolved payment ${id}`)
  // A second authorization beside one that can still be collected would pay twice.
  if (outcome === 'lost' && now() < holdsUntil(context, entry))
    throw misconfigured('resolve: not expired yet')
  if (outcome === 'delivered') await ledger.update(id, { delivered: true })
  await ledger.update(id, { answered: true })
}

function toResponse({ status, headers: given, body }: PaidResponse): Response | undefined {
  const fields = given instanceof Headers ? [...given] : Object.entries(Object(given))
  const isEmpty = body === undefined || body === null || body === '' || status === 204 || status === 304
  const content = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  try {
    const headers = new Headers()
    for (const [name, value] of fields) headers.set(name, String(value))
    // The body is the one that was received, not the one that was sent.
    for (const name of ['content-length', 'content-encoding']) headers.delete(name)
    return new Response(isEmpty ? null : (content as BodyInit), { status, headers })
  } catch {
    return undefined
  }
}
