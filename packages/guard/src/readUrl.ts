import { type CanonicalUrl, canonicalizeUrl, InvalidUrlError } from '@touchstone402/shared'

/** Returns the canonical form of an endpoint's URL, or a phrase that says why it has none. */
export function readUrl(text: string): CanonicalUrl | string {
  try {
    return canonicalizeUrl(text)
  } catch (error) {
    if (error instanceof InvalidUrlError) return error.message
    throw error
  }
}
