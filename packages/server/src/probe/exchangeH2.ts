import { canonicalizeUrl } from '@touchstone402/shared'
import { Client } from 'undici'
import { createBodyCollector } from '../lib/readBounded.ts'
import { type Answer, type ExchangeLimits, type GuardedRequest, MAX_HEADER_BYTES } from './answer.ts'
import { type ConnectContext, createGuardedConnector } from './guardedConnect.ts'

/** Shared, because undici otherwise creates an error with a stack for each destroyed client. */
const DONE = new Error('exchange complete')
/** Header lines of HTTP/1.1 that HTTP/2 has in another form. */
const OF_HTTP1: ReadonlySet<string> = new Set(['host', 'connection', 'content-length'])

/** Sends one request over HTTP/2, to a server that supports nothing else. @throws as `exchange` does */
export async function exchangeH2(
  request: GuardedRequest,
  context: ConnectContext,
  limits: ExchangeLimits,
): Promise<Answer> {
  const { signal } = limits
  signal.throwIfAborted()
  const client = new Client(canonicalizeUrl(request.url).origin, {
    connect: createGuardedConnector({ ...context, signal, allowH2: true }),
    allowH2: true,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Covered by the probe's deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const onAbort = () => client.destroy(signal.reason)
  // Before that the connector handles the abort and throws a more precise error.
  client.once('connect', () => {
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await send(client, request, limits)
  } finally {
    signal.removeEventListener('abort', onAbort)
    void client.destroy(DONE)
  }
}

function send(client: Client, request: GuardedRequest, limits: ExchangeLimits): Promise<Answer> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    let head: Omit<Answer, 'body' | 'isTooLarge'> | undefined
    const collected = createBodyCollector(limits.maxBytes)
    const finish = (isTooLarge: boolean) => {
      if (head !== undefined) resolve({ ...head, body: collected.read(), isTooLarge })
    }
    const { method, body, lines } = request
    const url = new URL(request.url)
    const named = lines(url, body).map(([name, value]) => [name.toLowerCase(), value] as const)
    const headers = Object.fromEntries(named.filter(([name]) => !OF_HTTP1.has(name)))
    client.dispatch(
      { path: url.pathname + url.search, method, headers, body },
      {
        onRequestStart() {},
        onResponseStart(_controller, status, received) {
          if (status < 200) return
          head = { status, headers: joinHeaders(received), latencyMs: performance.now() - startedAt }
          if (!limits.readsBody(head)) finish(false)
        },
        onResponseData(_controller, chunk) {
          if (!collected.add(chunk)) finish(true)
        },
        onResponseEnd: () => finish(false),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })
}

function joinHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
  }
  return joined
}
