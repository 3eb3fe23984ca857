/** Whether the first argument of a `fetch` is a Request, of this realm or another. */
export function isRequest(input: RequestInfo | URL): input is Request {
  return typeof input === 'object' && !(input instanceof URL) && 'url' in input
}

/** The method of a request, in upper case. */
export function methodOf(input: RequestInfo | URL, init: RequestInit | undefined): string {
  return (init?.method ?? (isRequest(input) ? input.method : 'GET')).toUpperCase()
}

/** The URL of a request as it is sent: normalised by the URL parser, without its fragment. */
export function urlOf(input: RequestInfo | URL): string {
  const text = isRequest(input) ? input.url : String(input)
  return URL.canParse(text) ? withoutFragment(new URL(text).href) : text
}

/** A fragment never leaves the client. */
export function withoutFragment(url: string): string {
  const cut = url.indexOf('#')
  return cut < 0 ? url : url.slice(0, cut)
}

/** One header of a request; null where it is absent. */
export function headerOf(
  input: RequestInfo | URL,
  init: RequestInit | undefined,
  name: string,
): string | null {
  // An init's headers replace those of the Request that it comes with.
  const headers = init?.headers ?? (isRequest(input) ? input.headers : undefined)
  if (headers === undefined) return null
  if ('get' in headers && typeof headers.get === 'function') return headers.get(name)
  const lower = name.toLowerCase()
  const pairs = Array.isArray(headers) ? headers : Object.entries(headers)
  for (const [key, value] of pairs) {
    if (key !== undefined && value !== undefined && key.toLowerCase() === lower) return String(value)
  }
  return null
}

/** Whether the caller has given a request up. */
export function isAborted(input: RequestInfo | URL, init: RequestInit | undefined): boolean {
  const signal = init?.signal ?? (isRequest(input) ? input.signal : null)
  return signal?.aborted === true
}

/** The same request to a URL, with redirects left alone. */
export function redirectManually(
  input: RequestInfo | URL,
  init: RequestInit | undefined,
  url: string,
): [RequestInfo | URL, RequestInit] {
  if (!isRequest(input)) return [url, { ...init, redirect: 'manual' }]
  const isSameUrl = withoutFragment(input.url) === url
  const request = isSameUrl ? input : new Request(url, input)
  return [new Request(request, { ...init, redirect: 'manual' }), { redirect: 'manual' }]
}

/** Whether a redirect stayed where it was: the same origin, or the same host from http to https. */
export function staysOnOrigin(from: string, to: string): boolean {
  if (!URL.canParse(from) || !URL.canParse(to)) return false
  const [before, after] = [new URL(from), new URL(to)]
  if (before.origin === after.origin) return true
  const upgrade = before.protocol === 'http:' && after.protocol === 'https:'
  return upgrade && before.hostname === after.hostname && before.port === '' && after.port === ''
}
