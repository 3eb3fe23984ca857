import { canonicalizeUrl } from '@touchstone402/shared'
import { type Answer, type ExchangeContext, type ExchangeLimits, exchange } from './exchange.ts'

/** One request that may be redirected. */
export type GuardedRequest = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** A redirect that is not followed. */
export class RedirectRefusedError extends Error {
  override readonly name = 'RedirectRefusedError'
  readonly code = 'TOUCHSTONE_REDIRECT_REFUSED'
  /** Whether it leads to another origin: our rule, not the seller's fault. */
  readonly isElsewhere: boolean
  readonly status: number
  constructor(reason: string, isElsewhere: boolean, status: number) {
    super(`the redirect is not followed: ${reason}`)
    this.isElsewhere = isElsewhere
    this.status = status
  }
}

const MAX_REDIRECTS = 3
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * Sends a request and follows up to 3 redirects within its origin, or from http to https of its host. Every hop is
 * resolved and checked anew.
 * @throws RedirectRefusedError, InvalidUrlError, or what {@link exchange} throws
 */
export async function followRedirects(
  request: GuardedRequest,
  context: ExchangeContext,
  limits: ExchangeLimits,
): Promise<Answer> {
  let { url, method, body } = request
  let headers = request.headers
  for (let hop = 0; ; hop++) {
    const { origin } = canonicalizeUrl(url)
    const { pathname, search } = new URL(url)
    const answer = await exchange({ origin, path: pathname + search, method, headers, body }, context, limits)
    if (!REDIRECTS.has(answer.status)) return answer
    if (hop === MAX_REDIRECTS) throw new RedirectRefusedError('too many', false, answer.status)
    url = readLocation(answer, url)
    // As fetch does: 303 always becomes GET, 301 and 302 only for POST.
    if ((answer.status === 303 && method !== 'HEAD') || (answer.status <= 302 && method === 'POST')) {
      method = 'GET'
      body = null
      headers = withoutContentType(headers)
    }
  }
}

function readLocation(answer: Answer, from: string): string {
  const { status } = answer
  const location = answer.headers.location
  if (location === undefined) throw new RedirectRefusedError('no location', false, status)
  const next = parseUrl(location, from)
  if (next === null) throw new RedirectRefusedError('not a URL', false, status)
  const target = canonicalizeUrl(next.href)
  const source = canonicalizeUrl(from)
  const isUpgrade =
    source.scheme === 'http' && target.scheme === 'https' && target.hostname === source.hostname
  if (target.origin !== source.origin && !isUpgrade) {
    throw new RedirectRefusedError('another origin', true, status)
  }
  return next.href
}

function parseUrl(text: string, base: string): URL | null {
  try {
    return new URL(text, base)
  } catch {
    return null
  }
}

function withoutContentType(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'content-type'))
}
