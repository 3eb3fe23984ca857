import { lookup as resolve } from 'node:dns'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import type { FetchLike } from '../types.ts'

/** A request to an address that is not on the public internet. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError'
}

// Source: the special-purpose address registries of IANA.
const PRIVATE = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv4')
}
// Only 2000::/3 is global unicast; within it, what carries an IPv4 address or belongs to documentation is not.
const GLOBAL_V6 = new BlockList()
GLOBAL_V6.addSubnet('2000::', 3, 'ipv6')
const SPECIAL_V6 = new BlockList()
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  SPECIAL_V6.addSubnet(network, prefix, 'ipv6')
}

/** Whether an IP address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !PRIVATE.check(address, 'ipv4')
  return family === 6 && GLOBAL_V6.check(address, 'ipv6') && !SPECIAL_V6.check(address, 'ipv6')
}

const MAX_REDIRECTS = 3
const TIMEOUT_MS = 20_000

/**
 * A `fetch` that connects to public addresses alone.
 *
 * The address is checked where the connection is made, on what the name resolved to, so that a name which changes
 * its address in between gains nothing. Unpaid redirects are followed, three at the most, each checked like the first.
 * @param allow addresses that may be reached though they are not public, for development
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
      // Nothing that was meant for one origin is carried to another one.
      if (hops === MAX_REDIRECTS || next.origin !== url.origin || request.redirect === 'error') {
        throw new TypeError('The redirect is not followed.')
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
        return callback(new PrivateAddressError('The address is not public.'), '', 0)
      }
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
  return new Promise((done, fail) => {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    // An address that is written out is not looked up.
    if (isIP(host) !== 0 && !isAllowed(host))
      return fail(new PrivateAddressError('The address is not public.'))
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
