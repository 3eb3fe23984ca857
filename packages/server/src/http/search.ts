import { OPERATIONS, type OperationId } from '@touchstone402/shared'

/** The query string as it came, without its `?`. */
export function rawSearch(url: string): string {
  const cut = url.indexOf('?')
  if (cut < 0) return ''
  const fragment = url.indexOf('#', cut)
  return fragment < 0 ? url.slice(cut + 1) : url.slice(cut + 1, fragment)
}

/**
 * The one URL of a call: parameters that mean nothing left out, the others in their read form and in the order of
 * the contract, so that two calls of one meaning are one.
 */
export function canonicalCallUrl(
  publicUrl: string,
  id: OperationId,
  query: Readonly<Record<string, unknown>>,
): string {
  const operation = OPERATIONS[id]
  const parameters = Object.keys(operation.query)
    .filter((name) => query[name] !== undefined && query[name] !== false)
    .map((name) => `${name}=${encodeURIComponent(query[name] === true ? '1' : String(query[name]))}`)
  return `${publicUrl}${operation.path}${parameters.length > 0 ? `?${parameters.join('&')}` : ''}`
}
