import { Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { isPublicAddress } from '@touchstone402/shared/addresses'
import { BODY_HEADERS, staysOnOrigin, untilAborted } from '../paying/calls/request.ts'
import type { FetchLike } from '../types.ts'
import { IDLE_MS, startClock, TOTAL_MS } from './http/clock.ts'
import { escapeBytes } from './http/escapeBytes.ts'
import { exchange, type Outgoing, PRIVATE_ADDRESS } from './http/exchange.ts'
import { paymentWaitMs } from './http/paymentWait.ts'
import { findProxy } from './http/tunnel.ts'

const MAX_REDIRECTS = 3
const TIMEOUT_MS = 20_000
/** A paid answer of the service can take it a minute, and its settlement some seconds more. */
const SERVICE_TIMEOUT_MS = 120_000
const REDIRECTS = [301, 302, 303, 307, 308]
/** Headers that frame a message, which the caller may not set. */
const FRAMING = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect', 'content-length']

/**
 * Options of {@link createPublicFetch}.
 * @example
 * const options: PublicFetchOptions = { serviceUrl: guard.serviceUrl }
 */
export type PublicFetchOptions = {
  /** Base URL of the trust service, which is reached at any address and has two minutes to answer. */
  serviceUrl?: string | null
  /**
   * Reaches hosts of private networks and of this machine as well. For development: a model that chooses addresses could
   * call every service of the network. @default false
   */
  allowPrivateHosts?: boolean
  /** Hosts that are reached at any address, with their port unless it is that of the protocol. @default [] */
  allowHosts?: readonly string[]
  /** Adds only the headers that frame the message, and accepted codings. @default false */
  isBare?: boolean
  /** Longest wait for the first byte of an answer, ms. A paid call may take as long as its payment is valid. @default 20000 */
  timeoutMs?: number
  /** Longest wait for the next bytes of a body, ms. @default 60000 */
  idleMs?: number
  /** Longest exchange, redirects and body included, ms. @default 900000 */
  totalMs?: number
  /** Holds HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in either case. @default process.env */
  env?: Readonly<Record<string, string | undefined>>
}

/**
 * Creates a `fetch` that connects to public addresses only, one connection a request.
 *
 * The resolved address itself is checked and dialled, so DNS rebinding gains nothing; a proxy gets that address,
 * not the name. Follows up to three redirects within the origin, or from http to https of the same host; each hop is
 * checked again. A body that is given as a stream is sent as it comes, all others whole.
 * @example
 * const pay = createGuardedFetch({ account, guard, fetch: createPublicFetch({ serviceUrl: guard.serviceUrl }) })
 */
export function createPublicFetch(options: PublicFetchOptions = {}): FetchLike {
  const { serviceUrl, allowPrivateHosts = false, allowHosts = [], env = process.env } = options
  const { isBare = false, timeoutMs = TIMEOUT_MS, idleMs = IDLE_MS, totalMs = TOTAL_MS } = options
  const service = serviceUrl ? new URL(serviceUrl).origin : null
  return async (input, init) => {
    const request = new Request(input, init)
    const caller = init?.signal ?? (input instanceof Request ? input.signal : null)
    caller?.throwIfAborted()
    let { method } = request
    let body = await readOutgoing(request, init, caller, timeoutMs)
    let url = new URL(request.url)
    const headers = new Headers(isBare ? [] : defaultHeaders(url))
    for (const [name, value] of request.headers) if (!FRAMING.includes(name)) headers.set(name, value)
    if (!headers.has('accept-encoding')) headers.set('accept-encoding', codingsOf(url))
    const text = Buffer.isBuffer(body?.content) ? body.content : null
    const waits = [timeoutMs, paymentWaitMs(headers, text, Date.now())]
    if (url.origin === service) waits.push(SERVICE_TIMEOUT_MS)
    const answerMs = Math.min(totalMs, Math.max(...waits))
    const endsAt = Date.now() + totalMs
    for (let hops = 0; ; hops++) {
      const isTrusted = url.origin === service || allowPrivateHosts || allowHosts.includes(url.host)
      const isAllowed = (address: string) => isTrusted || isPublicAddress(address)
      const route = { isAllowed, proxy: findProxy(url, env) }
      const clock = startClock(caller, { answerMs, idleMs, totalMs: endsAt - Date.now() })
      const response = await exchange(url, { method, headers, body }, route, clock).catch((error: Error) => {
        clock.stop()
        if (clock.signal.aborted) throw clock.signal.reason
        throw error.name === PRIVATE_ADDRESS ? error : new TypeError('fetch failed', { cause: error })
      })
      const { status } = response
      const location = response.headers.get('location')
      Object.defineProperty(response, 'url', { value: url.href.replace(/#.*/, '') })
      Object.defineProperty(response, 'redirected', { value: hops > 0 })
      if (location === null || !REDIRECTS.includes(status) || request.redirect === 'manual') return response
      // Not awaited: the next request has a connection of its own.
      response.body?.cancel().catch(() => {})
      const next = new URL(escapeBytes(location), url)
      // Never send headers or a body to an origin they were not meant for.
      // Source: Fetch standard, HTTP-redirect fetch, step 12.
      const becomesGet =
        status === 303 ? !['GET', 'HEAD'].includes(method) : status < 303 && method === 'POST'
      const isAway =
        !staysOnOrigin(url.href, next.href) ||
        (body !== null && !Buffer.isBuffer(body.content) && !becomesGet)
      if (hops === MAX_REDIRECTS || isAway || request.redirect === 'error') {
        const message = 'Redirect refused: too many, to another origin, or not allowed by the request.'
        throw Object.assign(new TypeError(message), { code: 'REDIRECT_REFUSED' })
      }
      url = next
      if (!becomesGet) continue
      method = 'GET'
      body = null
      for (const name of BODY_HEADERS) headers.delete(name)
    }
  }
}

/** Reads the body of a request. One that the caller gives as a stream is not read yet. */
async function readOutgoing(
  request: Request,
  init: RequestInit | undefined,
  caller: AbortSignal | null,
  timeoutMs: number,
): Promise<Outgoing | null> {
  if (request.body === null) return null
  if (init?.body instanceof ReadableStream) {
    const length = request.headers.get('content-length')
    // Its source may break before it is sent.
    const content = Readable.fromWeb(request.body as WebStream).on('error', () => {})
    return { content, length: length === null ? null : Number(length) }
  }
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = caller ? AbortSignal.any([caller, timeout]) : timeout
  const content = Buffer.from(await untilAborted(signal, request.arrayBuffer()))
  return { content, length: content.length }
}

/** Headers that the stock `fetch` sends. */
function defaultHeaders(url: URL): [string, string][] {
  return Object.entries({
    accept: '*/*',
    'accept-language': '*',
    'sec-fetch-mode': 'cors',
    'user-agent': 'node',
    'accept-encoding': codingsOf(url),
  })
}

const codingsOf = ({ protocol }: URL) => (protocol === 'https:' ? 'br, gzip, deflate' : 'gzip, deflate')
