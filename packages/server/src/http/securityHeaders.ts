import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet, { type HelmetOptions } from 'helmet'
import { PAGE_SCRIPT_HASH } from './pageScript.ts'

const EXPOSED =
  'PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, ETag, X-Request-Id'

// The stock v1 client sends Access-Control-Expose-Headers as a request header, so preflights ask for it.
const ACCEPTED =
  'PAYMENT-SIGNATURE, X-PAYMENT, Content-Type, If-None-Match, Access-Control-Expose-Headers, Accept'

/** Headers that open an answer to every origin, names and values in turn. Safe: there are no cookies or credentials. */
const CORS_HEADERS: readonly string[] = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  EXPOSED,
]

/** Headers of data answers, names and values in turn: helmet's for non-documents, and CORS. */
export const DATA_HEADERS = headersOf(
  { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  {
    // For documents only.
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    originAgentCluster: false,
    referrerPolicy: false,
  },
)

/** Headers of answers that a browser may show, names and values in turn: all of helmet's, and CORS. */
export const PAGE_HEADERS = headersOf(
  {
    defaultSrc: ["'none'"],
    // Pages work without their one script, and load nothing inline or from other origins.
    scriptSrc: [`'${PAGE_SCRIPT_HASH}'`],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
  // Other origins embed badges.
  { crossOriginResourcePolicy: { policy: 'cross-origin' } },
)

/** Sets headers that are listed as names and values in turn. */
export function setHeaders(response: ServerResponse, headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2) {
    response.setHeader(headers[at] ?? '', headers[at + 1] ?? '')
  }
}

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

type ForDocuments = Pick<
  HelmetOptions,
  'crossOriginOpenerPolicy' | 'crossOriginResourcePolicy' | 'originAgentCluster' | 'referrerPolicy'
>

// Computed once: the headers are equal for all requests.
function headersOf(directives: Record<string, string[]>, more: ForDocuments): readonly string[] {
  const harden = helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
    // Replaced by the policy's frame-ancestors.
    xFrameOptions: false,
    // For obsolete browsers and plugins; there is nothing to prefetch.
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    xDnsPrefetchControl: false,
    ...more,
  })
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  harden(request, response, (error) => {
    if (error) throw error
  })
  const names = response.getHeaderNames()
  return [...CORS_HEADERS, ...names.flatMap((name) => [properName(name), String(response.getHeader(name))])]
}

function properName(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
}
