import { OPERATIONS, type OperationId } from '@touchstone402/shared'

/** Returns the raw query string without its `?`. */
export function rawSearch(url: string): string {
  const cut = url.indexOf('?')
  if (cut < 0) return ''
  const fragment = url.indexOf('#', cut)
  return fragment < 0 ? url.slice(cut + 1) : url.slice(cut + 1, fragment)
}

/**
 * Returns the canonical URL of a call: unknown parameters removed, the others normalised and in the order of the contract,
 * so equivalent calls have equal URLs.
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
