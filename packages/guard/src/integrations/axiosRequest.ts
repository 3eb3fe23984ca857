import { noteMethod, urlOf } from '../paying/calls/request.ts'
import type { GuardContext } from '../paying/guardContext.ts'
import { bytesToHex } from '../paying/signatures/bytes.ts'
import type { FetchLike } from '../types.ts'
import { guardInnerFetch } from './guardedFetch.ts'

/** The parts of a request, as axios hands it to an adapter, that the guard reads. */
export type AxiosConfig = {
  method?: string
  data?: unknown
  headers?: unknown
  signal?: unknown
  responseType?: string
  auth?: { username?: string; password?: string }
  adapter?: unknown
  env?: { fetch?: FetchLike }
  fetchOptions?: object
}
type Answer = {
  status: number
  statusText?: string
  headers: unknown
  data: unknown
  request?: unknown
  config?: AxiosConfig
}
export type AxiosAdapter = (config: AxiosConfig) => Promise<Answer>

/** The parts of an axios instance that the guard uses. */
export type AxiosLike = {
  defaults: { adapter?: unknown }
  interceptors: { request: object }
  create(config: never): {
    defaults: object
    interceptors: { request: { use(...interceptor: never): unknown } }
    getUri(config: never): string
    request(config: never): Promise<unknown>
  }
}

/**
 * Creates a function that sends requests of an axios instance under guard. Its second argument is the request as the
 * payment library knows it; repeated, it leads back to the guard.
 */
export function createSender(context: GuardContext, instance: AxiosLike) {
  const dispatch = createDispatch(instance)
  return (config: AxiosConfig, given: AxiosConfig) => send(context, dispatch, config, given)
}

type Dispatch = AxiosAdapter & { getUri(config: AxiosConfig): string }

/** Returns a function that sends a request that axios has built: no defaults, interceptors or transformations. */
function createDispatch(instance: AxiosLike): Dispatch {
  const bare = instance.create({} as never)
  for (const name of Object.keys(bare.defaults)) Reflect.deleteProperty(bare.defaults, name)
  let next: AxiosConfig = {}
  // Synchronous, so that no other request comes between.
  bare.interceptors.request.use(...([() => next, null, { synchronous: true }] as never))
  const dispatch = (config: AxiosConfig) => {
    next = { ...config, ...PLAIN }
    return bare.request({} as never) as Promise<Answer>
  }
  return Object.assign(dispatch, { getUri: (config: AxiosConfig) => bare.getUri(config as never) })
}

const PLAIN = { transformRequest: undefined, transformResponse: undefined }

async function send(
  context: GuardContext,
  dispatch: Dispatch,
  config: AxiosConfig,
  given: AxiosConfig,
): Promise<Answer> {
  const method = config.method ?? 'get'
  const url = withoutUser(dispatch.getUri(config))
  const shown = toHeaders(config.headers)
  // The adapter makes a header of it, so two users are not one caller.
  if (config.auth && !shown.has('authorization')) {
    const { username = '', password = '' } = config.auth
    shown.set('authorization', `Basic ${bytesToHex(new TextEncoder().encode(`${username}:${password}`))}`)
  }
  const stop = new AbortController()
  const flights: { answer: Answer; rejection: object | undefined; received: Response }[] = []
  const inner: FetchLike = async (input, init) => {
    const target =
      urlOf(input) === urlOf(url) ? {} : { url: String(input), baseURL: undefined, params: undefined }
    const headers = applyChanges(config.headers, shown, new Headers(init?.headers))
    const manual = init?.redirect === 'manual'
    const redirects = manual && {
      maxRedirects: 0,
      fetchOptions: { ...config.fetchOptions, redirect: 'manual' },
    }
    const asked = init?.method?.toLowerCase() ?? method
    const turned = asked !== method.toLowerCase() && { method: asked, data: undefined }
    const env = { ...config.env, fetch: watchFetch(config.env?.fetch) }
    let rejection: object | undefined
    const answer: Answer = await dispatch({
      ...config,
      headers,
      ...target,
      ...turned,
      ...redirects,
      env,
    }).catch((error) => {
      const { response, code } = error as { response?: Answer; code?: string }
      // Axios rejects a whole answer by its status, and one that broke off before it has its data.
      if (response !== undefined && (response.data !== undefined || response.status >= 300)) {
        rejection = error
        return response
      }
      Object.assign(error, { config: given })
      // The caller's own time-out or abort, which is no fault of the endpoint.
      if (/^(ECONNABORTED|ETIMEDOUT|ERR_CANCELED)$/.test(code ?? '')) stop.abort()
      throw error
    })
    const received = toResponse(answer, String(input), manual)
    flights.push({ answer, rejection, received })
    return received
  }
  const body = (config.data ?? null) as BodyInit | null
  const signal =
    config.signal instanceof AbortSignal ? AbortSignal.any([stop.signal, config.signal]) : stop.signal
  const response = await guardInnerFetch(context, inner, { transport: dispatch })(url, {
    method,
    headers: shown,
    body,
    signal,
  })
  const flight = flights.findLast(({ received: { status } }) => status === response.status)
  if (flight === undefined) {
    // The answer to an equal call.
    const { status, statusText, headers } = response
    const data = await readAs(response, config.responseType, flights[0]?.answer.data)
    return { status, statusText, headers: Object.fromEntries(headers), data, config: given }
  }
  const { answer, rejection, received } = flight
  if (response.status === 402) {
    answer.data = await response.text()
    answer.headers = applyChanges(answer.headers, received.headers, response.headers)
  } else if (response !== received && isStream(answer.data)) {
    answer.data = answer.data instanceof Response ? response : await readAs(response, 'stream', answer.data)
  } else if (response !== received) {
    // Read to its end, so that the delivery is recorded.
    await response.arrayBuffer()
  }
  Object.assign(answer, { config: given })
  if (rejection !== undefined) throw Object.assign(rejection, { config: given })
  return answer
}

/** Returns headers of axios with the changes that lead from one view of them to another. */
function applyChanges(headers: unknown, from: Headers, to: Headers): unknown {
  const names = new Set([...from.keys(), ...to.keys()])
  const changed = [...names].filter((name) => from.get(name) !== to.get(name))
  if (changed.length === 0) return headers
  const fields = Object.getOwnPropertyDescriptors(Object(headers) as Record<string, unknown>)
  const copy: Record<string, unknown> = Object.create(Object.getPrototypeOf(headers), fields)
  for (const name of Object.keys(copy)) if (changed.includes(name.toLowerCase())) delete copy[name]
  for (const name of changed) if (to.has(name)) copy[name] = to.get(name)
  return copy
}

const watched = new WeakMap<FetchLike, FetchLike>()
const answers = new WeakMap<object, Response>()

/** Returns a `fetch` that notes its responses by their request; one for each, since axios keeps every one it saw. */
function watchFetch(fetch: FetchLike = globalFetch): FetchLike {
  const known = watched.get(fetch)
  if (known !== undefined) return known
  const watching: FetchLike = async (input, init) => {
    const response = await fetch(input, init)
    if (typeof input === 'object') answers.set(input, response)
    return response
  }
  watched.set(fetch, watching)
  return watching
}

const globalFetch: FetchLike = (input, init) => globalThis.fetch(input, init)

function toHeaders(given: unknown): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(Object(given))) {
    if (value === undefined || value === null || value === false) continue
    // Axios drops or replaces characters that a header cannot hold.
    for (const one of Array.isArray(value) ? value : [value]) {
      try {
        headers.append(name, String(one).replace(/[^\t\x20-\x7e\x80-\xff]/g, '?'))
      } catch {}
    }
  }
  return headers
}

type NodeRequest = { method?: string; res?: { responseUrl?: string } }

function toResponse({ status, headers, data, request }: Answer, sent: string, isManual: boolean): Response {
  const isEmpty = [204, 205, 304].includes(status) || data === '' || data === null || data === undefined
  const { res, method, responseURL } = Object(request) as NodeRequest & { responseURL?: string }
  const fetched = typeof request === 'object' && request !== null ? answers.get(request) : undefined
  const url = withoutUser(fetched?.url || res?.responseUrl || responseURL || sent)
  // A browser shows a redirect without its status. The guard asks of others whether they are 402.
  const shown = status >= 200 && status < 600 ? status : isManual ? 302 : 500
  const response = new Response(isEmpty ? null : toBody(data), {
    status: shown,
    headers: toHeaders(headers),
  })
  if (res !== undefined && method !== undefined) noteMethod(response, method)
  return Object.defineProperties(response, {
    url: { value: url },
    redirected: { value: fetched?.redirected ?? urlOf(url) !== urlOf(sent) },
  })
}

/** Removes a user and a password, which axios sends as a header. */
function withoutUser(text: string): string {
  if (!URL.canParse(text)) return text
  return Object.assign(new URL(text), { username: '', password: '' }).href
}

type NodeStream = AsyncIterable<Uint8Array>
// Node has it, TypeScript's library of types does not.
type FromStream = { from(stream: NodeStream): ReadableStream<Uint8Array> }

const isNodeStream = (data: unknown): data is NodeStream =>
  typeof data === 'object' && data !== null && 'pipe' in data && 'once' in data
const isStream = (data: unknown): boolean =>
  data instanceof ReadableStream || data instanceof Response || isNodeStream(data)

function toBody(data: unknown): BodyInit {
  // A stream of Node stays untouched until the body is read.
  if (isNodeStream(data)) return (ReadableStream as unknown as FromStream).from(data)
  if (data instanceof Response) return data.body as BodyInit
  const isBody = data instanceof ReadableStream || data instanceof Blob || data instanceof ArrayBuffer
  return isBody || typeof data === 'string' || data instanceof Uint8Array
    ? (data as BodyInit)
    : JSON.stringify(data)
}

/** Reads a body in the form that was asked for, and that `own`, an earlier answer, has. */
async function readAs(response: Response, type: string | undefined, own: unknown): Promise<unknown> {
  const { from } = Object(own).constructor as { from?: (content: unknown) => unknown }
  if (type === 'stream') return isNodeStream(own) && from ? from(response.body) : response.body
  if (type === 'blob') return response.blob()
  if (type !== 'arraybuffer') return response.text()
  const bytes = await response.arrayBuffer()
  return own instanceof Uint8Array && from ? from(bytes) : bytes
}
