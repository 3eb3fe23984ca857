import { decodeChallenge, X402_HEADERS } from '@touchstone402/shared'
import type { PaymentIntent } from '../types.ts'
import { approve } from './approve.ts'
import type { GuardContext } from './guardContext.ts'
import { methodOf, urlOf } from './request.ts'
import { reduceChallenge } from './rewriteChallenge.ts'

/** A 402 that some client was answered with. */
export type ChallengedResponse = {
  /** What answered; the URL after redirects where there were any. */
  url: string
  /** @default 'GET' */
  method?: string
  /** Headers as a Headers object or as a record with names in lower case. */
  headers: Headers | Record<string, unknown>
  /** The body as text, or parsed. */
  body?: unknown
}

/** An approved 402, to be handed to the payment library in the place of the original. */
export type ApprovedResponse = {
  intent: PaymentIntent
  /** The `PAYMENT-REQUIRED` header with the approved entry alone; null where v2 is not offered. */
  header: string | null
  /** The body with the approved entry alone. */
  body: Record<string, unknown>
}

/** Judges a 402 for a client without a `fetch`, such as an axios interceptor, and opens an intent for it. */
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
