import type { IncomingMessage } from 'node:http'
import { isDecoded } from '../http/decodeBody.ts'
import { escapeBytes } from '../http/escapeBytes.ts'

/** Request header with the token of a task. It is never sent on. */
export const TOKEN_HEADER = 'touchstone-token'
/** Request header with the most dollars that the call may cost. It is never sent on. */
export const MAX_USD_HEADER = 'touchstone-max-usd'

/** Request header of the operator's commands: two nonces and a proof. */
export const OPERATOR_HEADER = 'touchstone-operator'

/** Headers of one connection. Source: RFC 9110, 7.6.1, and the older names of the same. */
const HOP_BY_HOP = [
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'expect', 'host'],
]

/**
 * Reads the target of a request from its path: `/https://api.example.com/weather`, or with one slash less, as some
 * clients write it. Null if it names none.
 */
export function readTarget(path: string): URL | null {
  const [, scheme, rest] = /^\/(https?):\/{1,2}([^/?#].*)$/i.exec(path) ?? []
  const text = `${scheme}://${rest}`
  if (rest === undefined || !URL.canParse(text)) return null
  const url = new URL(text)
  return url.username === '' && url.password === '' ? url : null
}

/** Returns the headers of a request that are meant for its target. */
export function headersToSend(request: IncomingMessage): Headers {
  const headers = new Headers()
  // The proxy sets the accepted codings, since it decodes.
  const dropped = [...HOP_BY_HOP, 'accept-encoding', ...namesIn(request.headers.connection)]
  for (const [name, values = []] of Object.entries(request.headersDistinct)) {
    if (name.startsWith('touchstone-') || dropped.includes(name)) continue
    for (const value of values) headers.append(name, value)
  }
  return headers
}

/**
 * Returns the headers of an answer as the agent gets them. Redirects and cookies stay within the target's prefix, since
 * all targets share the address of the proxy; names of the proxy's own headers are dropped.
 */
export function headersToReturn({ headers, status, body }: Response, target: URL): [string, string][] {
  const wasDecoded = body !== null && isDecoded(headers)
  // Source: RFC 9110, 15.3.6: a 205 has no body, even with a Content-Length.
  const hasLength = !wasDecoded && status !== 205
  const dropped = [...HOP_BY_HOP, ...namesIn(headers.get('connection') ?? undefined), 'alt-svc']
  const kept: [string, string][] = []
  for (const [name, value] of headers) {
    if (name.startsWith('touchstone-') || dropped.includes(name)) continue
    if (wasDecoded && name === 'content-encoding') continue
    if (!hasLength && name === 'content-length') continue
    const address = escapeBytes(value)
    // One that does not parse could lead other parsers out of the proxy.
    if (name === 'location' && !URL.canParse(address, target.href)) continue
    if (name === 'location') kept.push([name, `/${new URL(address, target.href).href}`])
    else kept.push([name, name === 'set-cookie' ? confine(value, target) : value])
  }
  return kept
}

const namesIn = (value = '') =>
  value
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())

/** Confines a cookie to the origin that sets it: without `Domain`, and with `Path` behind the prefix. */
function confine(cookie: string, { origin }: URL): string {
  const [pair = '', ...attributes] = cookie.split(';')
  let path = '/'
  const kept = attributes.filter((attribute) => {
    const [name = '', value = ''] = attribute.split('=', 2).map((part) => part.trim())
    if (/^path$/i.test(name) && value.startsWith('/')) path = value
    // The way to the proxy is plain http on this machine.
    return !/^(path|domain|secure)$/i.test(name)
  })
  return [pair, ...kept, ` Path=/${origin}${path}`].join(';')
}

/** Creates an answer of the proxy itself, with the code of a refusal and the cost of the call as headers too. */
export function toJson(status: number, data: Readonly<Record<string, unknown>>): Response {
  const refused: Record<string, string> = {
    ...(data.code ? { 'touchstone-code': `${data.code}` } : {}),
    ...(data.chargedUsd === undefined ? {} : { 'touchstone-charged-usd': `${data.chargedUsd}` }),
  }
  const text = `${JSON.stringify(data)}\n`
  const frame = { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(text)}` }
  return new Response(text, { status, headers: { ...frame, 'cache-control': 'no-store', ...refused } })
}

/** Creates a refusal of the proxy itself. */
export const refuse = (status: number, code: string, reason: string): Response =>
  toJson(status, { code, reason })
