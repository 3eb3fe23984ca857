import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet from 'helmet'
import { CORS_HEADERS } from './cors.ts'

// For Internet Explorer, Flash and a filter that browsers have given up; nor is there anything here to prefetch.
const OUTDATED = {
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  xDnsPrefetchControl: false,
  // The policy's frame-ancestors says it for every browser that is left.
  xFrameOptions: false,
} as const
const TRANSPORT = { maxAge: 31_536_000, includeSubDomains: false } as const

/** What an answer that is data carries: helmet's headers that a client heeds for it, and those that open it to other origins. */
export const DATA_HEADERS: readonly string[] = [
  ...CORS_HEADERS,
  ...headersOf(
    helmet({
      ...OUTDATED,
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      },
      strictTransportSecurity: TRANSPORT,
      // These speak of documents that open windows, embed and link.
      crossOriginOpenerPolicy: false,
      crossOriginResourcePolicy: false,
      originAgentCluster: false,
      referrerPolicy: false,
    }),
  ),
]

/** What an answer that a browser may show carries: all of helmet's, and those that open it to other origins. */
export const PAGE_HEADERS: readonly string[] = [
  ...CORS_HEADERS,
  ...headersOf(
    helmet({
      ...OUTDATED,
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
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
      },
      // Badges are meant to be shown by pages of every origin.
      crossOriginResourcePolicy: { policy: 'cross-origin' },
      strictTransportSecurity: TRANSPORT,
    }),
  ),
]

/** Sets {@link DATA_HEADERS}. */
export function setDataHeaders(response: ServerResponse): void {
  for (let at = 0; at < DATA_HEADERS.length; at += 2) {
    response.setHeader(DATA_HEADERS[at] ?? '', DATA_HEADERS[at + 1] ?? '')
  }
}

// They are the same for every request, so they are asked for once.
function headersOf(harden: ReturnType<typeof helmet>): string[] {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  harden(request, response, (error) => {
    if (error) throw error
  })
  return response.getHeaderNames().flatMap((name) => [properName(name), String(response.getHeader(name))])
}

function properName(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
}
