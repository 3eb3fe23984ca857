import type { FetchLike } from '../../types.ts'
import {
  type CallRequest,
  copyRequest,
  notedMethod,
  redirectManually,
  staysOnOrigin,
  urlOf,
} from './request.ts'

const MAX_REDIRECTS = 20

/**
 * Returns the method that was answered: a redirect may have turned a POST into a GET. A `fetch` does not tell, so the
 * request is sent again without following redirects, as a payment library sends it a second time too. Undefined if the
 * redirects do not show, as in a browser.
 */
export async function answeredMethod(
  inner: FetchLike,
  { method, url: start }: CallRequest,
  copy: CallRequest | undefined,
  response: Response,
): Promise<string | undefined> {
  if (!response.redirected || method === 'GET' || method === 'HEAD') return method
  const noted = notedMethod(response)
  if (noted !== undefined) return noted
  // The only redirect that a body which can be read once survives, since it drops the body.
  if (copy === undefined) return 'GET'
  let url = start
  for (let count = 0; count < MAX_REDIRECTS; count += 1) {
    const again = copyRequest(copy)
    if (again === undefined) return undefined
    const { status, headers, body } = await inner(...redirectManually(again, url))
    body?.cancel().catch(() => {})
    if (status === 303 || (method === 'POST' && (status === 301 || status === 302))) return 'GET'
    const location = headers.get('location')
    const isRedirect = [301, 302, 307, 308].includes(status)
    if (!isRedirect || location === null || !URL.canParse(location, url)) return undefined
    url = urlOf(new URL(location, url))
    // The headers of the caller are for this origin.
    if (!staysOnOrigin(start, url)) return undefined
    if (url === urlOf(response.url)) return method
  }
  return undefined
}
