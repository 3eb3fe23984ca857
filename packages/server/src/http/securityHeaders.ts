import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet, { type HelmetOptions } from 'helmet'
import { CORS_HEADERS } from './cors.ts'

/** What an answer that is data carries: helmet's headers that a client heeds for it, and those that open it to other origins. */
export const DATA_HEADERS = headersOf(
  { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  {
    // These speak of documents that open windows, embed and link.
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    originAgentCluster: false,
    referrerPolicy: false,
  },
)

/** What an answer that a browser may show carries: all of helmet's, and those that open it to other origins. */
export const PAGE_HEADERS = headersOf(
  {
    defaultSrc: ["'none'"],
    // Pages load what this service serves, nothing else and nothing inline, and need no script.
    scriptSrc: ["'none'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
  },
  // Badges are meant to be shown by pages of every origin.
  { crossOriginResourcePolicy: { policy: 'cross-origin' } },
)

/** Sets {@link DATA_HEADERS}. */
export function setDataHeaders(response: ServerResponse): void {
  for (let at = 0; at < DATA_HEADERS.length; at += 2) {
    response.setHeader(DATA_HEADERS[at] ?? '', DATA_HEADERS[at + 1] ?? '')
  }
}

type ForDocuments = Pick<
  HelmetOptions,
  'crossOriginOpenerPolicy' | 'crossOriginResourcePolicy' | 'originAgentCluster' | 'referrerPolicy'
>

// They are the same for every request, so they are asked for once.
function headersOf(directives: Record<string, string[]>, more: ForDocuments): readonly string[] {
  const harden = helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
    // The policy's frame-ancestors says it for every browser that is left.
    xFrameOptions: false,
    // For Internet Explorer, Flash and a filter that browsers have given up; nor is there anything here to prefetch.
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
