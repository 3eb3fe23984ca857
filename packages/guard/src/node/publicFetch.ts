import { lookup as resolve } from 'node:dns'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { isPublicAddress } from '@touchstone402/shared/addresses'
import type { FetchLike } from '../types.ts'

/** Thrown for a request to an address that is not public. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError'
  constructor() {
    super('The address is not public.')
  }
}

const MAX_REDIRECTS = 3
const TIMEOUT_MS = 20_000

/**
 * Creates a `fetch` that connects to public addresses only.
 *
 * The resolved address itself is checked and dialled, so DNS rebinding gains nothing. Follows up to three redirects
 * within the origin; each hop is checked again.
 * @param allow allows a private address, for development
 */
export function createPublicFetch(allow: (address: string) => boolean = () => false): FetchLike {
  const isAllowed = (address: string) => isPublicAddress(address) || allow(address)
  return async (input, init) => {
    const request = new Request(input, init)
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer())
    let url = new URL(request.url)
    for (let hops = 0; ; hops++) {
      const response = await send(url, request, body, isAllowed)
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

function send(
  url: URL,
  request: Request,
  body: Buffer | undefined,
  isAllowed: (address: string) => boolean,
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
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TIMEOUT_MS)])
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
