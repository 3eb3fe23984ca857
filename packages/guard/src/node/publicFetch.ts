import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { addAbortSignal, pipeline, Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { connect as connectTls } from 'node:tls'
import zlib from 'node:zlib'
import { isPublicAddress } from '@touchstone402/shared/addresses'
import { BODY_HEADERS, untilAborted } from '../paying/request.ts'
import type { FetchLike } from '../types.ts'

/** Name of the error of a request to an address that is not public; the same across copies of the package. */
export const PRIVATE_ADDRESS = 'PrivateAddressError'

const MAX_REDIRECTS = 3
const TIMEOUT_MS = 20_000
/** A paid answer of the service can take it a minute, and its settlement some seconds more. */
const SERVICE_TIMEOUT_MS = 120_000
/** As `fetch` does, more codings are not decoded. */
const MAX_CODINGS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
const NO_BODY = [204, 205, 304]
/** Headers that frame a message, which the caller may not set. */
const FRAMING = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect', 'content-length']

// Not every resolver knows them. Source: RFC 6761, section 6.3.
const LOCAL_NAME = /\.localhost\.?$/
const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

type Environment = Readonly<Record<string, string | undefined>>

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
  /** Ends an exchange, body included, after so many ms. @default 20000 */
  timeoutMs?: number
  /** Holds HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in either case. @default process.env */
  env?: Environment
}

/**
 * Creates a `fetch` that connects to public addresses only, one connection a request.
 *
 * The resolved address itself is checked and dialled, so DNS rebinding gains nothing; a proxy gets that address,
 * not the name. Follows up to three redirects within the origin; each hop is checked again. A body that is given as a stream is sent as it comes, all others whole.
 * @example
 * const pay = createGuardedFetch({ account, guard, fetch: createPublicFetch({ serviceUrl: guard.serviceUrl }) })
 */
export function createPublicFetch(options: PublicFetchOptions = {}): FetchLike {
  const { serviceUrl, allowPrivateHosts = false, allowHosts = [], env = process.env } = options
  const { isBare = false, timeoutMs = TIMEOUT_MS } = options
  const service = serviceUrl ? new URL(serviceUrl).origin : null
  return async (input, init) => {
    const request = new Request(input, init)
    const caller = init?.signal ?? (input instanceof Request ? input.signal : null)
    caller?.throwIfAborted()
    let { method } = request
    let body = await readOutgoing(request, init)
    let url = new URL(request.url)
    const headers = new Headers(isBare ? [] : defaultHeaders(url))
    for (const [name, value] of request.headers) if (!FRAMING.includes(name)) headers.set(name, value)
    if (!headers.has('accept-encoding')) headers.set('accept-encoding', codingsOf(url))
    for (let hops = 0; ; hops++) {
      const isService = url.origin === service
      const isTrusted = isService || allowPrivateHosts || allowHosts.includes(url.host)
      const isAllowed = (address: string) => isTrusted || isPublicAddress(address)
      const timeout = AbortSignal.timeout(isService ? Math.max(SERVICE_TIMEOUT_MS, timeoutMs) : timeoutMs)
      const signal = caller ? AbortSignal.any([caller, timeout]) : timeout
      const route = { isAllowed, proxy: findProxy(url, env), signal }
      const response = await send(url, { method, headers, body }, route).catch((error: Error) => {
        if (signal.aborted) throw signal.reason
        throw error.name === PRIVATE_ADDRESS ? error : new TypeError('fetch failed', { cause: error })
      })
      const { status } = response
      const location = response.headers.get('location')
      Object.defineProperty(response, 'url', { value: url.href.replace(/#.*/, '') })
      Object.defineProperty(response, 'redirected', { value: hops > 0 })
      if (location === null || !REDIRECTS.includes(status) || request.redirect === 'manual') return response
      await response.body?.cancel()
      const next = new URL(location, url)
      // Never send headers or a body to an origin they were not meant for.
      // Source: Fetch standard, HTTP-redirect fetch, step 12.
      const becomesGet =
        status === 303 ? !['GET', 'HEAD'].includes(method) : status < 303 && method === 'POST'
      const isAway =
        next.origin !== url.origin || (body !== null && !Buffer.isBuffer(body.content) && !becomesGet)
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

/** A body, whole or as it comes. The length is null if it is not known. */
type Outgoing = { content: Buffer | Readable; length: number | null }
type Message = { method: string; headers: Headers; body: Outgoing | null }
type Route = { isAllowed: (address: string) => boolean; proxy: URL | null; signal: AbortSignal }
type Address = { address: string; family: number }

async function send(url: URL, message: Message, { isAllowed, proxy, signal }: Route): Promise<Response> {
  const { method, headers, body } = message
  const addresses = await resolve(url, signal)
  const [first] = addresses
  if (first === undefined || !addresses.every(({ address }) => isAllowed(address)))
    throw Object.assign(new Error('The address is not public.'), { name: PRIVATE_ADDRESS })
  // A proxy leads to the outside, so allowed private addresses are reached without it.
  const isProxied = proxy !== null && isPublicAddress(first.address)
  const socket = isProxied ? await openTunnel(proxy, url, first, signal) : null
  const pinned: LookupFunction = (_, { all }, done) =>
    all ? done(null, addresses) : done(null, first.address, first.family)
  const dial = socket === null ? { agent: false, lookup: pinned } : { createConnection: () => socket }
  const outgoing = starterOf(url)(url, {
    ...{ method, signal, ...dial },
    // Through a tunnel Node would name the port of the protocol too.
    headers: { Host: url.host, ...Object.fromEntries(headers), ...framingOf(method, body) },
  })
  // After an early answer Node detaches the socket while the body is still being written, so its error would be unhandled.
  outgoing.on('socket', (used) => used.on('error', () => {}))
  const content = body?.content
  if (content instanceof Readable) pipeline(content, outgoing, () => {})
  else outgoing.end(content)
  const [incoming] = await once(outgoing, 'response')
  // The reader of the body gets the error of a broken connection, or the reason of an abort.
  outgoing.on('error', () => {})
  addAbortSignal(signal, incoming)
  // A tunnel has no agent that ends it.
  socket?.on('error', () => {})
  incoming.once('close', () => socket?.destroy())
  return toResponse(incoming, method)
}

/** Reads the body of a request. One that the caller gives as a stream is not read yet. */
async function readOutgoing(request: Request, init: RequestInit | undefined): Promise<Outgoing | null> {
  if (request.body === null) return null
  if (init?.body instanceof ReadableStream) {
    const length = request.headers.get('content-length')
    // Its source may break before it is sent.
    const content = Readable.fromWeb(request.body as WebStream).on('error', () => {})
    return { content, length: length === null ? null : Number(length) }
  }
  const content = Buffer.from(await request.arrayBuffer())
  return { content, length: content.length }
}

/** Node frames no body of a DELETE by itself. */
function framingOf(method: string, body: Outgoing | null): Record<string, string | number> {
  const length = body === null ? 0 : body.length
  // Else a server that answers before the end of the body may reset the connection, and the answer is lost.
  const early = body?.content instanceof Readable ? { connection: 'keep-alive' } : {}
  if (length === null) return { 'transfer-encoding': 'chunked', ...early }
  if (length > 0) return { 'content-length': length, ...early }
  return ['POST', 'PUT', 'PATCH'].includes(method) ? { 'content-length': 0 } : {}
}

/** Headers that the stock `fetch` sends. */
function defaultHeaders(url: URL): [string, string][] {
  return Object.entries({
    ...{ accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' },
    'accept-encoding': codingsOf(url),
  })
}

const codingsOf = ({ protocol }: URL) => (protocol === 'https:' ? 'br, gzip, deflate' : 'gzip, deflate')
const starterOf = ({ protocol }: URL) => (protocol === 'https:' ? requestHttps : requestHttp)
const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')

async function resolve(url: URL, signal: AbortSignal): Promise<Address[]> {
  const host = hostOf(url)
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  if (LOCAL_NAME.test(host)) return LOOPBACK
  return untilAborted(signal, lookup(host, { all: true }))
}

/** Connects through a proxy to an address that was checked here, so that the proxy resolves no name. */
async function openTunnel(proxy: URL, url: URL, to: Address, signal: AbortSignal): Promise<Socket> {
  const port = url.port || (url.protocol === 'https:' ? 443 : 80)
  const host = `${to.family === 6 ? `[${to.address}]` : to.address}:${port}`
  const login = decodeURIComponent(`${proxy.username}:${proxy.password}`)
  const authorization = { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }
  const headers = { host, ...(proxy.username !== '' && authorization) }
  const outgoing = starterOf(proxy)({
    ...{ method: 'CONNECT', path: host, headers, signal, agent: false },
    ...{ host: hostOf(proxy), port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80) },
  })
  const [{ statusCode }, socket] = await once(outgoing.end(), 'connect')
  if (statusCode !== 200) {
    socket.destroy()
    throw new Error(`The proxy ${proxy.host} answered ${statusCode}.`)
  }
  if (url.protocol !== 'https:') return socket
  const name = hostOf(url)
  const servername = isIP(name) === 0 ? { servername: name } : {}
  const secure = addAbortSignal(signal, connectTls({ socket, host: name, ...servername }))
  await once(secure, 'secureConnect')
  return secure
}

/** Returns the proxy for a URL, if any. NO_PROXY lists hosts with their subdomains, with a port or without. */
export function findProxy({ protocol, hostname, port }: URL, env: Environment): URL | null {
  const read = (name: string) => env[name.toLowerCase()] || env[name] || null
  const proxy = read(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
  if (proxy === null) return null
  const isExcepted = (read('NO_PROXY') ?? '').split(/[\s,]+/).some((entry) => {
    const [, host = '', only = ''] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
    const actual = port || (protocol === 'https:' ? '443' : '80')
    if (host === '' || (only !== '' && only !== actual)) return false
    return host === '*' || hostname === host || hostname.endsWith(`.${host}`)
  })
  if (isExcepted) return null
  const text = proxy.includes('://') ? proxy : `http://${proxy}`
  // Not repeated in the message: it may hold a password.
  if (!/^https?:/.test(text) || !URL.canParse(text))
    throw new TypeError('The proxy is not an http or https URL.')
  return new URL(text)
}

async function toResponse(incoming: IncomingMessage, method: string): Promise<Response> {
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value)
  }
  const { statusCode: status = 502, statusMessage: statusText = '' } = incoming
  try {
    const hasBody = method !== 'HEAD' && !NO_BODY.includes(status)
    if (!hasBody) incoming.resume()
    const body = hasBody ? Readable.toWeb(await decode(incoming, headers)) : null
    return new Response(body as ReadableStream<Uint8Array> | null, { status, statusText, headers })
  } catch (error) {
    // Such as a status that no Response can have.
    incoming.destroy()
    throw error
  }
}

/** Decodes a body as `fetch` does, also one that breaks off or has an unknown coding, which is left as it is. */
async function decode(incoming: IncomingMessage, headers: Headers): Promise<Readable> {
  const decoders = findDecoders(headers)
  if (decoders.length === 0) return incoming
  const isRaw = decoders[0] === DECODERS.get('deflate') && (await startsRaw(incoming))
  if (isRaw) decoders[0] = () => zlib.createInflateRaw(ZIP)
  return pipeline([incoming, ...decoders.map((create) => create())], () => {}) as unknown as Readable
}

/** Whether the body of an answer is decoded; one with an unknown coding is left as it is. */
export const isDecoded = (headers: Headers): boolean => findDecoders(headers).length > 0

function findDecoders(headers: Headers): (() => NodeJS.ReadWriteStream)[] {
  const codings =
    headers
      .get('content-encoding')
      ?.toLowerCase()
      .split(/\s*,\s*/) ?? []
  const known = codings.flatMap((coding) => DECODERS.get(coding) ?? [])
  return known.length < codings.length || codings.length > MAX_CODINGS ? [] : known.reverse()
}

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
const ZIP = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }
const BROTLI = { flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH }
const DECODERS = new Map<string, () => NodeJS.ReadWriteStream>([
  ['gzip', () => zlib.createGunzip(ZIP)],
  ['x-gzip', () => zlib.createGunzip(ZIP)],
  ['deflate', () => zlib.createInflate(ZIP)],
  ['br', () => zlib.createBrotliDecompress(BROTLI)],
])

/** Whether a deflated body lacks the header of zlib, as some servers send it. */
async function startsRaw(incoming: IncomingMessage): Promise<boolean> {
  await once(incoming, 'readable')
  const first = incoming.read(1)
  if (first !== null) incoming.unshift(first)
  return first !== null && (first[0] & 0x0f) !== 8
}
