import { canonicalizeUrl, InvalidUrlError } from '@touchstone402/shared'

/** Parses a host name with optional port into the form that the index uses. Returns undefined if it is not one. */
export function readHost(text: string): string | undefined {
  if (/[/?#@]/.test(text)) return undefined
  try {
    // Parse under the scheme whose default port differs, so an explicit port is kept.
    return canonicalizeUrl(`${text.endsWith(':443') ? 'http' : 'https'}://${text}`).host
  } catch (error) {
    if (error instanceof InvalidUrlError) return undefined
    throw error
  }
}
