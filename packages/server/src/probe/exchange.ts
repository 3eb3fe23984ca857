import { canonicalizeUrl } from '@touchstone402/shared'
import { Client } from 'undici'
import { createBodyCollector } from '../lib/readBounded.ts'
import { readCode } from './errors.ts'
import { type ConnectContext, createGuardedConnector } from './guardedConnect.ts'

/** A request of the prober. */
export type GuardedRequest = {
  readonly url: string
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

/** Limits of one exchange. */
export type ExchangeLimits = {
  readonly signal: AbortSignal
  /** Maximum body size in bytes. */
  readonly maxBytes: number
  /** The statuses whose bodies are read. For any other, the connection is closed at the headers. */
  readonly bodyStatuses: readonly number[]
}

/** Fits a 64 KiB challenge header and all others. */
const MAX_HEADER_BYTES = 80 * 1024
/** Shared, because undici otherwise creates an error with a stack for each destroyed client. */
const DONE = new Error('exchange complete')
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
  try {
    return await exchangeOnce(request, context, limits, false)
  } catch (error) {
    if (readCode(error) !== NEEDS_H2) throw error
    return exchangeOnce(request, context, limits, true)
  }
}

async function exchangeOnce(
  request: GuardedRequest,
  context: ConnectContext,
  limits: ExchangeLimits,
  allowH2: boolean,
): Promise<Answer> {
  const { signal } = limits
  signal.throwIfAborted()
  const client = new Client(canonicalizeUrl(request.url).origin, {
    connect: createGuardedConnector({ ...context, signal, allowH2 }),
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

function send(client: Client, request: GuardedRequest, limits: ExchangeLimits): Promise<Answer> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    let head: Omit<Answer, 'body' | 'isTooLarge'> | undefined
    const collected = createBodyCollector(limits.maxBytes)
    const finish = (isTooLarge: boolean) => {
      if (head !== undefined) resolve({ ...head, body: collected.read(), isTooLarge })
    }
    const { method, body } = request
    const { pathname, search } = new URL(request.url)
    client.dispatch(
      { path: pathname + search, method, headers: { ...request.headers }, body },
      {
        onRequestStart() {},
        onResponseStart(_controller, status, headers) {
          if (status < 200) return
          head = { status, headers: joinHeaders(headers), latencyMs: performance.now() - startedAt }
          if (!limits.bodyStatuses.includes(status)) finish(false)
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
