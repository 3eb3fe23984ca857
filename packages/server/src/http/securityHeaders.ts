import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet from 'helmet'
import { CORS_HEADERS } from './cors.ts'

const harden = helmet({
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
  // Answers are meant to be read by pages of every origin.
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
  // The policy's frame-ancestors says it for every browser that is left.
  xFrameOptions: false,
  // For Internet Explorer, Flash and a filter that browsers have given up; nor is there anything here to prefetch.
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  xDnsPrefetchControl: false,
})

/** The headers that every answer carries, whichever listener sends it: helmet's and those that open it to other origins. */
export const COMMON_HEADERS: readonly string[] = [...CORS_HEADERS, ...hardeningHeaders()]

/** Sets {@link COMMON_HEADERS}. */
export function setCommonHeaders(response: ServerResponse): void {
  for (let at = 0; at < COMMON_HEADERS.length; at += 2) {
    response.setHeader(COMMON_HEADERS[at] ?? '', COMMON_HEADERS[at + 1] ?? '')
  }
}

// Helmet's headers are the same for every request, so they are asked for once.
function hardeningHeaders(): string[] {
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
