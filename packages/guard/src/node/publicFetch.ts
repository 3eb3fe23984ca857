import { lookup as resolve } from 'node:dns'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { isPublicAddress } from '@touchstone402/shared/addresses'
import type { FetchLike } from '../types.ts'

/** Name of the error of a request to an address that is not public; the same across copies of the package. */
export const PRIVATE_ADDRESS = 'PrivateAddressError'

class PrivateAddressError extends Error {
  override readonly name = PRIVATE_ADDRESS
  constructor() {
    super('The address is not public.')
  }
}

const MAX_REDIRECTS = 3
const TIMEOUT_MS = 20_000
/** A paid answer of the service can take it a minute, and its settlement some seconds more. */
const SERVICE_TIMEOUT_MS = 120_000

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
}

/**
 * Creates a `fetch` that connects to public addresses only.
 *
 * The resolved address itself is checked and dialled, so DNS rebinding gains nothing. Follows up to three redirects
 * within the origin; each hop is checked again.
 * @example
 * const pay = createGuardedFetch({ account, guard, fetch: createPublicFetch({ serviceUrl: guard.serviceUrl }) })
 */
export function createPublicFetch(options: PublicFetchOptions = {}): FetchLike {
  const { serviceUrl, allowPrivateHosts = false } = options
  const service = serviceUrl ? new URL(serviceUrl).origin : null
  return async (input, init) => {
    const request = new Request(input, init)
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer())
    let url = new URL(request.url)
    for (let hops = 0; ; hops++) {
      const isService = url.origin === service
      const isAllowed = (address: string) => isService || allowPrivateHosts || isPublicAddress(address)
      const timeoutMs = isService ? SERVICE_TIMEOUT_MS : TIMEOUT_MS
      const response = await send(url, request, body, { isAllowed, timeoutMs })
      const location = response.headers.get('location')
      const isRedirect = response.status >= 300 && response.status < 400 && location !== null
      if (!isRedirect || request.redirect === 'manual') return response
      await response.body?.cancel()
      const next = new URL(location, url)
      // Never send headers or a body to an origin they were not meant for.
      if (hops === MAX_REDIRECTS || next.origin !== url.origin || request.redirect === 'error') {
        throw new TypeError('Redirect refused: too many, to another origin, or not allowed by the request.')
      }
      url = next
    }
  }
}

type Limits = { isAllowed: (address: string) => boolean; timeoutMs: number }

function send(
  url: URL,
  request: Request,
  body: Buffer | undefined,
  { isAllowed, timeoutMs }: Limits,
): Promise<Response> {
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0)
      const [first] = addresses
      if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) {
        return callback(new PrivateAddressError(), '', 0)
      }
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
  return new Promise((done, fail) => {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    // Node does not look up IP literals, so they are checked here.
    if (isIP(host) !== 0 && !isAllowed(host)) return fail(new PrivateAddressError())
    if (request.signal.aborted) return fail(request.signal.reason)
    const headers = { ...Object.fromEntries(request.headers), 'accept-encoding': 'identity' }
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)])
    const start = url.protocol === 'https:' ? requestHttps : requestHttp
    const outgoing = start(
      url,
      { method: request.method, headers, lookup, signal, agent: false },
      (incoming) => done(toResponse(incoming, url, request.method)),
    )
    outgoing.on('error', fail)
    outgoing.end(body)
  })
}

function toResponse(incoming: IncomingMessage, url: URL, method: string): Response {
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value)
  }
  const { statusCode: status = 502 } = incoming
  const isEmpty = method === 'HEAD' || [101, 204, 205, 304].includes(status)
  if (isEmpty) incoming.resume()
  const body = isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>)
  const response = new Response(body, { status, headers })
  Object.defineProperty(response, 'url', { value: url.href })
  return response
}
