import type { GuardContext } from '../paying/guardContext.ts'
import type { FetchLike } from '../types.ts'
import { guardInnerFetch } from './guardedFetch.ts'

/** The parts of an axios request that the guard reads. */
type Config = {
  url?: string | undefined
  method?: string | undefined
  data?: unknown
  headers?: unknown
  signal?: unknown
}
type Answer = { status: number; headers: unknown; data: unknown; request?: unknown }
type Adapter = (config: Config) => Promise<Answer>

/** The parts of an axios instance that the guard uses. */
export type AxiosLike = {
  defaults: { adapter?: unknown }
  getUri(config: never): string
  create(config: never): { request(config: never): Promise<unknown> }
}

/** One request in flight: what axios answered last, and how it rejected. */
type Flight = { answer: Answer | undefined; rejection: unknown }

/**
 * Puts the guard between an axios instance and the network, whatever payment library is above it.
 * Every request passes the same checks as in the guarded `fetch`, and a retry sends the same payment again.
 */
export function guardAxios<Instance extends AxiosLike>(context: GuardContext, instance: Instance): Instance {
  // Runs the adapter of the instance without its interceptors and transformations, which have run already.
  const same = [(data: unknown) => data]
  const plain = { adapter: instance.defaults.adapter, transformRequest: same, transformResponse: same }
  const bare = instance.create(plain as never)
  const adapter: Adapter = async (config) => {
    const flight: Flight = { answer: undefined, rejection: undefined }
    const gaveUp = new AbortController()
    const send: FetchLike = async (input, init) => {
      const manual = init?.redirect === 'manual' ? { maxRedirects: 0 } : {}
      const headers = Object.fromEntries(new Headers(init?.headers))
      const target = {
        url: String(input),
        baseURL: undefined,
        params: undefined,
        headers,
        ...manual,
        ...plain,
      }
      flight.answer = await bare.request({ ...config, ...target } as never).then(
        (answer) => answer as Answer,
        (error: { code?: string; response?: Answer }) => {
          flight.rejection = error
          if (error.response !== undefined) return error.response
          Object.assign(error, { config })
          // The caller's own time-out or abort, which is no fault of the endpoint.
          if (/^(ECONNABORTED|ETIMEDOUT|ERR_CANCELED)$/.test(error.code ?? '')) gaveUp.abort()
          throw error
        },
      )
      return toResponse(flight.answer, String(input))
    }
    const response = await guardInnerFetch(context, send)(instance.getUri(config as never), {
      method: config.method ?? 'get',
      headers: toHeaders(config.headers),
      body: (config.data ?? null) as BodyInit | null,
      signal: gaveUp.signal,
    })
    const answer = flight.answer as Answer
    // Read to its end, so that the delivery is recorded.
    const text = await response.text()
    if (response.status === 402) {
      answer.data = text
      const header = response.headers.get('payment-required')
      Object.assign(answer.headers as object, { 'payment-required': header ?? undefined })
    }
    // The payment library repeats a request with the configuration that it finds here; it must lead back to the guard.
    Object.assign(answer, { config })
    if (flight.rejection !== undefined) throw Object.assign(flight.rejection as object, { config })
    return answer
  }
  instance.defaults.adapter = adapter
  return instance
}

function toHeaders(given: unknown): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(Object(given))) {
    if (typeof value === 'string' || typeof value === 'number') headers.set(name, String(value))
  }
  return headers
}

function toResponse({ status, headers, data, request }: Answer, url: string): Response {
  const isEmpty = status === 204 || status === 304 || data === '' || data === null || data === undefined
  // The content of a stream is left to its reader.
  const body = typeof data === 'string' || data instanceof Uint8Array ? (data as BodyInit) : 'stream'
  const response = new Response(isEmpty ? null : body, { status, headers: toHeaders(headers) })
  const { res, responseURL } = Object(request) as { res?: { responseUrl?: string }; responseURL?: string }
  Object.defineProperty(response, 'url', { value: res?.responseUrl ?? responseURL ?? url })
  return response
}
