import { Client } from 'undici'
import { createBodyCollector } from './collectBody.ts'
import { createGuardedConnector, type GuardedConnectOptions } from './guardedConnect.ts'
import { readCode } from './resolveHost.ts'

/** One request, without redirects. */
export type ExchangeRequest = {
  /** `scheme://host[:port]` */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** What came back; header names are lower case, repeated headers are joined as fetch joins them. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** As it came over the wire, still encoded; empty where it was not wanted. */
  readonly body: Buffer
  /** Whether the body was cut off at the limit. */
  readonly isTooLarge: boolean
  /** From dialling to the first header, ms. */
  readonly latencyMs: number
}

/** What every exchange of a prober shares. */
export type ExchangeContext = Pick<
  GuardedConnectOptions,
  'policy' | 'resolveHost' | 'witness' | 'secureContext'
>

/** Limits of one exchange. */
export type ExchangeLimits = {
  readonly signal: AbortSignal
  /** Bytes of body to read. */
  readonly maxBytes: number
  /** Whether the body of such an answer is of interest; without it the connection ends at the headers. */
  wantsBody(status: number): boolean
}

/** Room for a 64 KiB challenge header and the rest. */
const MAX_HEADER_BYTES = 80 * 1024
/** Made once: without it undici makes an error with its stack for each client that is let go. */
const DONE = new Error('the exchange is over')
const NEEDS_H2 = 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'

/**
 * Sends one request over a fresh, guarded connection: HTTP/1.1, and HTTP/2 to a server that speaks nothing else.
 * @throws whatever ended it: a node or undici error, `AddressRefusedError`, `ResolveError`, or the signal's reason.
 */
export async function exchange(
  request: ExchangeRequest,
  context: ExchangeContext,
  limits: ExchangeLimits,
): Promise<Answer> {
  try {
    return await exchangeOnce(request, context, limits, false)
  } catch (error) {
    if (readCode(error) !== NEEDS_H2) throw error
    return exchangeOnce(request, context, limits, true)
  }
}

async function exchangeOnce(
  request: ExchangeRequest,
  context: ExchangeContext,
  limits: ExchangeLimits,
  allowH2: boolean,
): Promise<Answer> {
  const { signal } = limits
  signal.throwIfAborted()
  const client = new Client(request.origin, {
    connect: createGuardedConnector({
      ...context,
      signal,
      alpn: allowH2 ? ['h2', 'http/1.1'] : ['http/1.1'],
    }),
    allowH2,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The deadline of the whole probe covers these.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const onAbort = () => client.destroy(signal.reason)
  // Until then the connector ends by itself, and knows better what it was waiting for.
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

function send(client: Client, request: ExchangeRequest, limits: ExchangeLimits): Promise<Answer> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    let head: Omit<Answer, 'body' | 'isTooLarge'> | undefined
    const collected = createBodyCollector(limits.maxBytes)
    const finish = (isTooLarge: boolean) => {
      if (head !== undefined) resolve({ ...head, body: collected.read(), isTooLarge })
    }
    const { path, method, body } = request
    client.dispatch(
      { path, method, headers: { ...request.headers }, body },
      {
        onRequestStart() {},
        onResponseStart(_controller, status, headers) {
          if (status < 200) return
          head = { status, headers: joinHeaders(headers), latencyMs: performance.now() - startedAt }
          if (!limits.wantsBody(status)) finish(false)
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
