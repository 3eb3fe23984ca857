import { type CanonicalUrl, canonicalizeUrl, InvalidUrlError } from '@touchstone402/shared'
import type { HostSummary } from '../facts/hostDocument.ts'
import { isDevelopmentHost } from '../lib/isDevelopmentHost.ts'
import { ProblemError } from '../lib/problemError.ts'
import { readSummary } from '../store/hosts.ts'
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

/** Adds the scheme that people leave out. */
export const withScheme = (text: string): string => (text.includes('://') ? text : `https://${text}`)

/** Returns the host that a text names, by itself or by a URL of it. Returns undefined if it names none. */
export const readHostOf = (text: string): string | undefined =>
  readHost(text) ?? readUrl(withScheme(text))?.host

/** Whether a host can be one of the internet: it has a dot, is an IP address, or is let in for development. */
export function isReachable(host: string, { config }: Pick<PageDeps, 'config'>): boolean {
  return host.includes('.') || host.startsWith('[') || isDevelopmentHost(host, config.developmentAllowHosts)
}

const UNKNOWN_HOST =
  'This host is not known here, and unknown is not safe. Check it, or try one such as api.example.com.'

/**
 * Returns the indexed host that a field or a path segment names, by itself or by a URL of it.
 * @throws ProblemError 404 `never_seen` if the index does not hold it.
 */
export async function findHost({ store }: Pick<PageDeps, 'store'>, name = ''): Promise<HostSummary> {
  const host = readHostOf(name.trim())
  const summary = host === undefined ? undefined : await readSummary(store, host)
  if (summary === undefined) throw new ProblemError(404, 'never_seen', UNKNOWN_HOST)
  return summary
}
