import { canonicalizeUrl } from '@touchstone402/shared'
import type { Answer, ExchangeLimits, GuardedRequest } from './answer.ts'
import { RedirectRefusedError } from './errors.ts'
import { exchange } from './exchange.ts'
import type { ConnectContext } from './guardedConnect.ts'

const MAX_REDIRECTS = 3
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** Sends one request, as {@link exchange} does. */
export type Send = typeof exchange

/**
 * Sends a request and follows up to 3 redirects, within the origin or from http to https of the same host. Every hop
 * is resolved and checked again.
 * @throws RedirectRefusedError, InvalidUrlError, or what {@link exchange} throws
 * @param send sends each request. @default our own client
 */
export async function followRedirects(
  request: GuardedRequest,
  context: ConnectContext,
  limits: ExchangeLimits,
  send: Send = exchange,
): Promise<Answer> {
  const { lines } = request
  let { url, method, body } = request
  for (let hop = 0; ; hop++) {
    const answer = await send({ url, method, lines, body }, context, limits)
    if (!REDIRECTS.has(answer.status)) return answer
    if (hop === MAX_REDIRECTS) throw new RedirectRefusedError('too many', false, answer.status)
    url = readLocation(answer, url)
    // As in fetch: 303 always becomes GET, 301 and 302 only for POST.
    if ((answer.status === 303 && method !== 'HEAD') || (answer.status <= 302 && method === 'POST')) {
      method = 'GET'
      body = null
    }
  }
}

function readLocation({ status, headers: { location } }: Answer, from: string): string {
  if (location === undefined) throw new RedirectRefusedError('no location', false, status)
  if (!URL.canParse(location, from)) throw new RedirectRefusedError('invalid URL', false, status)
  const { href } = new URL(location, from)
  const target = canonicalizeUrl(href)
  const source = canonicalizeUrl(from)
  const isUpgrade =
    source.scheme === 'http' && target.scheme === 'https' && target.hostname === source.hostname
  if (target.origin !== source.origin && !isUpgrade) {
    throw new RedirectRefusedError('another origin', true, status, target.key)
  }
  return href
}
