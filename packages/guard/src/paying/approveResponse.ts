import { decodeChallenge, X402_HEADERS } from '@touchstone402/shared'
import type { PaymentIntent } from '../types.ts'
import { approve } from './approve.ts'
import type { GuardContext } from './guardContext.ts'
import { methodOf, urlOf } from './request.ts'
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
}

/**
 * An approved 402 that replaces the original for the payment library.
 * @example
 * const amount = ({ intent }: ApprovedResponse) => intent.amountUsd
 */
export type ApprovedResponse = {
  intent: PaymentIntent
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
  const name = X402_HEADERS.required
  const header = headers instanceof Headers ? headers.get(name) : headers[name.toLowerCase()]
  const challenge = decodeChallenge({
    header: typeof header === 'string' ? header : null,
    body: body === undefined || body === null ? null : typeof body === 'string' ? body : JSON.stringify(body),
  })
  const url = urlOf(response.url)
  const method = methodOf(url, { method: response.method ?? 'GET' })
  const { offer, open } = await approve(context, {
    method,
    url,
    requestedUrl: url,
    challenge,
    traceparent: null,
  })
  return { intent: open.intent, ...reduceChallenge(challenge, offer) }
}
