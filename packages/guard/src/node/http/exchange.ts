import { lookup } from 'node:dns/promises'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { addAbortSignal, pipeline, Readable } from 'node:stream'
import { isPublicAddress } from '@touchstone402/shared/addresses'
import { untilAborted } from '../../paying/calls/request.ts'
import { toPhrase } from '../../readBody.ts'
import { awaitEvent } from './awaitEvent.ts'
import { type Clock, limitBody } from './clock.ts'
import { decodeBody } from './decodeBody.ts'
import { type Address, hostOf, openTunnel, starterOf } from './tunnel.ts'

/** Name of the error of a request to an address that is not public; the same across copies of the package. */
export const PRIVATE_ADDRESS = 'PrivateAddressError'
const NOT_PUBLIC =
  'The address is not public. To allow it: --allow-host with host and port for the proxy, --allow-private-hosts for mcp, allowPrivateHosts for tools.'

const NO_BODY = [204, 205, 304]
// Not every resolver knows them. Source: RFC 6761, section 6.3.
const LOCAL_NAME = /\.localhost\.?$/
const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** A body, whole or as it comes. The length is null if it is not known. */
export type Outgoing = { content: Buffer | Readable; length: number | null }
/** A request as it is sent. */
export type Message = { method: string; headers: Headers; body: Outgoing | null }
/** Which addresses are dialled, through which proxy. */
export type Route = { isAllowed: (address: string) => boolean; proxy: URL | null }

/** Sends one request over its own connection, and returns the answer when its head has come. */
export async function exchange(
  url: URL,
  { method, headers, body }: Message,
  { isAllowed, proxy }: Route,
  clock: Clock,
): Promise<Response> {
  const { signal } = clock
  const addresses = await resolve(url, signal)
  const [first] = addresses
  if (first === undefined || !addresses.every(({ address }) => isAllowed(address)))
    throw Object.assign(new Error(NOT_PUBLIC), { name: PRIVATE_ADDRESS })
  // A proxy leads to the outside, so allowed private addresses are reached without it.
  const isProxied = proxy !== null && isPublicAddress(first.address)
  const socket = isProxied ? await openTunnel(proxy, url, addresses, signal) : null
  const pinned: LookupFunction = (_, { all }, done) =>
    all ? done(null, addresses) : done(null, first.address, first.family)
  const dial = socket === null ? { agent: false, lookup: pinned } : { createConnection: () => socket }
  const outgoing = starterOf(url)(url, {
    method,
    signal,
    ...dial,
    // Through a tunnel Node would name the port of the protocol too.
    headers: { Host: url.host, ...Object.fromEntries(headers), ...framingOf(method, body) },
  })
  // After an early answer Node detaches the socket while the body is still being written, so its error would be unhandled.
  outgoing.on('socket', (used) => used.on('error', () => {}))
  const answered = awaitEvent<[IncomingMessage]>(outgoing, 'response', signal)
  sendBody(outgoing.once('finish', clock.sent), body?.content, clock)
  const [incoming] = await answered
  clock.rest()
  // The reader of the body gets the error of a broken connection, or the reason of an abort.
  addAbortSignal(signal, incoming)
  // A tunnel has no agent that ends it.
  socket?.on('error', () => {})
  incoming.once('close', () => socket?.destroy())
  return toResponse(incoming, method, clock)
}

function sendBody(outgoing: ClientRequest, content: Buffer | Readable | undefined, clock: Clock) {
  if (!(content instanceof Readable)) return outgoing.end(content)
  content.on('data', clock.sent)
  return pipeline(content, outgoing, () => {})
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

async function resolve(url: URL, signal: AbortSignal): Promise<Address[]> {
  const host = hostOf(url)
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  if (LOCAL_NAME.test(host)) return LOOPBACK
  return untilAborted(signal, lookup(host, { all: true }))
}

function toResponse(incoming: IncomingMessage, method: string, clock: Clock): Response {
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value)
  }
  const { statusCode: status = 502, statusMessage: statusText = '' } = incoming
  try {
    const hasBody = method !== 'HEAD' && !NO_BODY.includes(status)
    // A 205 may have a body, which may have no end.
    if (!hasBody) incoming.once('close', clock.stop).destroy()
    const source = hasBody ? Readable.toWeb(decodeBody(incoming, headers)) : null
    const body = source && limitBody(source as ReadableStream<Uint8Array>, clock)
    return new Response(body, { status, statusText: toPhrase(statusText), headers })
  } catch (error) {
    // Such as a status that no Response can have.
    incoming.destroy()
    throw error
  }
}
