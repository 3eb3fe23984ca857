/** Whether the input of a `fetch` is a Request, of this realm or another. */
export function isRequest(input: RequestInfo | URL): input is Request {
  return typeof input === 'object' && !(input instanceof URL) && 'url' in input
}

/** Returns the method of a request in upper case. */
export function methodOf(input: RequestInfo | URL, init: RequestInit | undefined): string {
  return (init?.method ?? (isRequest(input) ? input.method : 'GET')).toUpperCase()
}

/** Returns the URL of a request as sent: normalised, without fragment. */
export function urlOf(input: RequestInfo | URL): string {
  const text = isRequest(input) ? input.url : String(input)
  return URL.canParse(text) ? withoutFragment(new URL(text).href) : text
}

/** Removes the fragment, which is never sent. */
export function withoutFragment(url: string): string {
  const cut = url.indexOf('#')
  return cut < 0 ? url : url.slice(0, cut)
}

/** Returns a header of a request, or null. */
export function headerOf(
  input: RequestInfo | URL,
  init: RequestInit | undefined,
  name: string,
): string | null {
  // Headers of the init replace those of the Request.
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

/** Whether the caller has aborted a request. */
export function isAborted(input: RequestInfo | URL, init: RequestInit | undefined): boolean {
  const signal = init?.signal ?? (isRequest(input) ? input.signal : null)
  return signal?.aborted === true
}

/** Returns the same request for a URL, with manual redirects. */
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

/** Whether a redirect stays on the same origin, or upgrades the same host from http to https. */
export function staysOnOrigin(from: string, to: string): boolean {
  if (!URL.canParse(from) || !URL.canParse(to)) return false
  const [before, after] = [new URL(from), new URL(to)]
  if (before.origin === after.origin) return true
  const upgrade = before.protocol === 'http:' && after.protocol === 'https:'
  return upgrade && before.hostname === after.hostname && before.port === '' && after.port === ''
}
