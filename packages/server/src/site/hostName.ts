import { type CanonicalUrl, canonicalizeUrl, InvalidUrlError } from '@touchstone402/shared'

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
