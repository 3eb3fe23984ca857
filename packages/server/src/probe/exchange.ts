import { request as startRequest } from 'node:http'
import type { Socket } from 'node:net'
import { canonicalizeUrl } from '@touchstone402/shared'
import { createBodyCollector } from '../lib/readBounded.ts'
import { type Answer, type ExchangeLimits, type GuardedRequest, MAX_HEADER_BYTES } from './answer.ts'
import { readCode } from './errors.ts'
import { exchangeH2 } from './exchangeH2.ts'
import { type ConnectContext, openGuarded } from './guardedConnect.ts'

const NEEDS_H2 = 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'

/**
 * Sends one request over a new guarded connection: HTTP/1.1, or HTTP/2 if the server supports nothing else. Does not
 * follow redirects.
 * @throws InvalidUrlError, AddressRefusedError, ResolveError, the signal's reason, or an error of Node or undici
 */
export async function exchange(
  request: GuardedRequest,
  context: ConnectContext,
  limits: ExchangeLimits,
): Promise<Answer> {
  const startedAt = performance.now()
  // Refuses what URL parsers read differently.
  canonicalizeUrl(request.url)
  const url = new URL(request.url)
  limits.signal.throwIfAborted()
  let socket: Socket
  try {
    socket = await openGuarded(url, { ...context, signal: limits.signal })
  } catch (error) {
    if (readCode(error) !== NEEDS_H2) throw error
    return exchangeH2(request, context, limits)
  }
  try {
    return await send(socket, url, request, { ...limits, startedAt })
  } finally {
    socket.destroy()
  }
}

/** Sends by Node's client, since it keeps the order and case of header lines. */
function send(
  socket: Socket,
  url: URL,
  { method, body, lines }: GuardedRequest,
  { signal, maxBytes, readsBody, startedAt }: ExchangeLimits & { readonly startedAt: number },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = startRequest({
      createConnection: () => socket,
      method,
      path: url.pathname + url.search,
      headers: lines(url, body).flat(),
      maxHeaderSize: MAX_HEADER_BYTES,
    })
    const onAbort = () => request.destroy(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    request.once('close', () => signal.removeEventListener('abort', onAbort))
    // A socket that comes out of a tunnel is paused.
    request.once('socket', (opened) => opened.resume())
    request.on('error', reject)
    request.on('response', (response) => {
      const { statusCode: status = 0, rawHeaders } = response
      const head = { status, headers: joinHeaders(rawHeaders), latencyMs: performance.now() - startedAt }
      const collected = createBodyCollector(maxBytes)
      const finish = (isTooLarge: boolean) => resolve({ ...head, body: collected.read(), isTooLarge })
      response.on('error', reject)
      if (!readsBody(head)) {
        finish(false)
        return
      }
      response.on('data', (chunk: Buffer) => {
        if (!collected.add(chunk)) finish(true)
      })
      response.on('end', () => finish(false))
    })
    if (signal.aborted) onAbort()
    else request.end(body ?? undefined)
  })
}

function joinHeaders(raw: readonly string[]): Record<string, string> {
  const joined = new Map<string, string>()
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = '', value = ''] = raw.slice(index, index + 2)
    const before = joined.get(name.toLowerCase())
    joined.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(joined)
}
