import type { ServerResponse } from 'node:http'

const EXPOSED =
  'PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, ETag'

// The stock v1 client sends Access-Control-Expose-Headers as a request header, so preflights ask for it.
const ACCEPTED =
  'PAYMENT-SIGNATURE, X-PAYMENT, Content-Type, If-None-Match, Access-Control-Expose-Headers, Accept'

/** Headers that open an answer to every origin, names and values in turn. Safe: there are no cookies or credentials. */
export const CORS_HEADERS: readonly string[] = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  EXPOSED,
]

/**
 * Answers OPTIONS, preflight or not.
 * @param methods as in an Allow header
 */
export function sendOptions(response: ServerResponse, methods: string): void {
  response.writeHead(204, {
    Allow: methods,
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': ACCEPTED,
    'Access-Control-Max-Age': '86400',
    'Cache-Control': 'no-store',
  })
  response.end()
}
