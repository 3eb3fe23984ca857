import { bytesToHex, keccak } from '../signatures/bytes.ts'

/** A request of a caller, read once: later changes of its parts have no effect. */
export type CallRequest = {
  input: RequestInfo | URL
  /** Its headers are `headers`, unless the request has none of its own. */
  init: RequestInit | undefined
  /** In upper case. */
  method: string
  /** Normalised, without fragment. */
  url: string
  headers: Headers
  /** The caller's key for intended duplicates; empty by default. */
  callKey: string
}

/**
 * Request header that marks an intended duplicate of an unresolved call, which would otherwise be a retry. It is not sent.
 * @example
 * await pay('https://api.example.com/draw', { headers: { [CALL_KEY_HEADER]: '2' } })
 */
export const CALL_KEY_HEADER = 'touchstone-call-key'

let none: Headers | undefined

/**
 * Headers of calls without any, never changed. All share one, since creating it takes a tenth of the guard's overhead. It
 * is created by the first call: Node loads its HTTP client with the first use of `Headers`.
 */
export function noHeaders(): Headers {
  none ??= new Headers()
  return none
}

/** Characters of a call key that are kept as they are. */
const MAX_KEY = 64

/**
 * Reads a request.
 * @throws TypeError if its headers are invalid
 */
export function readRequest(input: RequestInfo | URL, init: RequestInit | undefined): CallRequest {
  const given = init?.headers ?? (isRequest(input) ? input.headers : undefined)
  const headers = given === undefined ? noHeaders() : new Headers(given)
  const key = headers.get(CALL_KEY_HEADER) ?? ''
  // The ledger keeps it, whoever chooses it.
  const callKey = key.length > MAX_KEY ? bytesToHex(keccak(key)) : key
  if (given !== undefined) headers.delete(CALL_KEY_HEADER)
  // The headers of a Request that has no others cannot change.
  const isFixed =
    callKey === '' && (given === undefined || (given instanceof Headers && given !== init?.headers))
  return {
    input,
    init: isFixed ? init : { ...init, headers },
    method: (init?.method ?? (isRequest(input) ? input.method : 'GET')).toUpperCase(),
    url: urlOf(input),
    headers,
    callKey,
  }
}

/** Whether the input of a `fetch` is a Request, of this realm or another. */
export function isRequest(input: RequestInfo | URL): input is Request {
  return typeof input === 'object' && !(input instanceof URL) && 'url' in input
}

/** Returns the URL of a request as sent: normalised, without fragment. */
export function urlOf(input: RequestInfo | URL): string {
  const text = isRequest(input) ? input.url : String(input)
  try {
    return withoutFragment(new URL(text).href)
  } catch {
    return text
  }
}

/** Removes the fragment, which is never sent. */
export function withoutFragment(url: string): string {
  const cut = url.indexOf('#')
  return cut < 0 ? url : url.slice(0, cut)
}

/** Returns the signal that aborts a request. */
export function signalOf({ input, init }: Pick<CallRequest, 'input' | 'init'>): AbortSignal | null {
  return init?.signal ?? (isRequest(input) ? input.signal : null)
}

/** Waits for work until a signal aborts; the work itself goes on. @throws the reason of the abort */
export async function untilAborted<T>(signal: AbortSignal | null, work: Promise<T>): Promise<T> {
  if (signal === null) return work
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Returns a request that can be sent again after the given one; undefined if its body can be read only once. */
export function copyRequest(request: CallRequest): CallRequest | undefined {
  const { input, init } = request
  if (init?.body !== undefined && init.body !== null) return isOneTime(init.body) ? undefined : request
  if (!isRequest(input) || input.body === null) return request
  return input.bodyUsed ? undefined : { ...request, input: input.clone() }
}

/** Whether a body can be read only once: a stream, of this platform or a library. */
export function isOneTime(body: unknown): boolean {
  const isData = [Blob, FormData, URLSearchParams, ArrayBuffer].some((kind) => body instanceof kind)
  return typeof body === 'object' && body !== null && !isData && !ArrayBuffer.isView(body)
}

/**
 * Copies the body of a request. Returns null without one, undefined if it can be read only once.
 * @throws TypeError if it was read already
 */
export function copyBody({ input, init }: CallRequest): Request | Response | null | undefined {
  const given = init?.body ?? null
  if (given !== null) return isOneTime(given) ? undefined : new Response(given)
  return isRequest(input) && input.body !== null ? input.clone() : null
}

/** Headers that describe the body of a request. Source: Fetch standard, request-body-header names. */
export const BODY_HEADERS = [
  'content-encoding',
  'content-language',
  'content-location',
  'content-type',
  'content-length',
]

/** Returns the arguments of a `fetch` that sends a request to a URL with manual redirects; with a GET in its place, without body. */
export function redirectManually(
  { input, init, headers: own, method }: CallRequest,
  url: string,
  headers?: Headers,
  answered = method,
): [RequestInfo | URL, RequestInit] {
  const changed: RequestInit = { ...init, redirect: 'manual', ...(headers && { headers }) }
  if (answered !== method) {
    const kept = new Headers(headers ?? own)
    for (const name of BODY_HEADERS) kept.delete(name)
    Object.assign(changed, { method: answered, headers: kept, body: null })
    return isRequest(input) ? [new Request(url, { signal: input.signal, ...changed }), {}] : [url, changed]
  }
  if (!isRequest(input)) return [url, changed]
  const isSameUrl = withoutFragment(input.url) === url
  const request = isSameUrl ? input : new Request(url, input)
  return [new Request(request, changed), { redirect: 'manual' }]
}

/** Whether a redirect stays on the same origin, or upgrades the same host from http to https. */
export function staysOnOrigin(from: string, to: string): boolean {
  if (!URL.canParse(from) || !URL.canParse(to)) return false
  const [before, after] = [new URL(from), new URL(to)]
  if (before.origin === after.origin) return true
  const upgrade = before.protocol === 'http:' && after.protocol === 'https:'
  return upgrade && before.hostname === after.hostname && before.port === '' && after.port === ''
}

const methods = new WeakMap<Response, string>()

/** Records the method of the answered request, for transports that know it after redirects. */
export const noteMethod = (response: Response, method: string): void =>
  void methods.set(response, method.toUpperCase())

/** Returns the method that was answered, if a transport has recorded it. */
export const notedMethod = (response: Response): string | undefined => methods.get(response)

/** Whether a body may be JSON by the type of its request, if that has one. */
export function mayBeJson({ headers, init }: CallRequest): boolean {
  const type = headers.get('content-type') ?? (init?.body instanceof Blob ? init.body.type : '')
  return /^$|json|plain/i.test(type)
}
