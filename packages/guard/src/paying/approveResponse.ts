import { decodeChallenge, X402_HEADERS } from '@touchstone402/shared'
import type { PaymentIntent } from '../types.ts'
import { approveNew } from './approve.ts'
import type { GuardContext } from './guardContext.ts'
import { identifyCall } from './identifyCall.ts'
import { readRequest, urlOf } from './request.ts'
import { reduceChallenge } from './rewriteChallenge.ts'

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

/** Judges a 402 for a client without a `fetch`, such as an axios interceptor, and opens an intent. */
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
  const call = { method, url, requestedUrl: url, challenge, once, traceparent: null }
  const { offer, open } = await approveNew(context, call)
  if (signIn) signIn.reservation = open.reservation
  return { intent: open.intent, paymentId: open.reservation, ...reduceChallenge(challenge, offer) }
}
