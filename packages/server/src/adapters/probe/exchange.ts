import { Client } from 'undici'
import { createBodyCollector } from './collectBody.ts'
import { readCode } from './errors.ts'
import { createGuardedConnector, type GuardedConnectOptions } from './guardedConnect.ts'

/** A request that does not follow redirects. */
export type ExchangeRequest = {
  /** `scheme://host[:port]` */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** The answer to one request. Header names are lower case; repeated headers are joined as `fetch` joins them. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Raw bytes, still encoded; empty if not wanted. */
  readonly body: Buffer
  /** Whether the body was truncated at the limit. */
  readonly isTooLarge: boolean
  /** From connecting to the first header, ms. */
  readonly latencyMs: number
}

/** State that all exchanges of a prober share. */
export type ExchangeContext = Pick<
  GuardedConnectOptions,
  'policy' | 'resolveHost' | 'witness' | 'secureContext'
>

/** Limits of one exchange. */
export type ExchangeLimits = {
  readonly signal: AbortSignal
  /** Maximum body size in bytes. */
  readonly maxBytes: number
  /** Returns whether to read the body of an answer with this status. If not, the connection is closed at the headers. */
  wantsBody(status: number): boolean
}

/** Fits a 64 KiB challenge header and all others. */
const MAX_HEADER_BYTES = 80 * 1024
/** Shared, because undici otherwise creates an error with a stack for each destroyed client. */
const DONE = new Error('exchange complete')
const NEEDS_H2 = 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'

/**
 * Sends one request over a new guarded connection: HTTP/1.1, or HTTP/2 if the server supports nothing else.
 * @throws AddressRefusedError, ResolveError, the signal's reason, or an error of Node or undici
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
