import { type CanonicalUrl, canonicalizeUrl, InvalidUrlError } from '@touchstone402/shared'
import type { HostDocument } from '../domain/facts/hostDocument.ts'
import { ProblemError } from '../http/problems.ts'
import type { PageDeps } from './pageDeps.ts'

/** Parses a URL into its canonical form. Returns undefined if it is not one. */
export function readUrl(text: string): CanonicalUrl | undefined {
  try {
    return canonicalizeUrl(text)
  } catch (error) {
    if (error instanceof InvalidUrlError) return undefined
    throw error
  }
}

/** Parses a host name with optional port into the form that the index uses. Returns undefined if it is not one. */
export function readHost(text: string): string | undefined {
  if (/[/?#@]/.test(text)) return undefined
  // Parse under the scheme whose default port differs, so an explicit port is kept.
  return readUrl(`${text.endsWith(':443') ? 'http' : 'https'}://${text}`)?.host
}

/**
 * Returns the indexed host that a path segment names.
 * @throws ProblemError 404 `never_seen` if the index does not hold it.
 */
export function findHost({ readModel }: Pick<PageDeps, 'readModel'>, name = ''): HostDocument {
  const host = readHost(name)
  const document = host === undefined ? undefined : readModel.host(host)
  if (document === undefined) {
    throw new ProblemError(404, 'never_seen', 'No endpoint of this host is known.')
  }
  return document
}
