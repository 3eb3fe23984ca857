import { type CanonicalUrl, canonicalizeUrl, InvalidUrlError } from '@touchstone402/shared'
import { createLru } from './lru.ts'

// An agent repeats a few URLs, and canonicalizing one is half of the guard's overhead on a call without a 402.
const KEPT = 128
const MAX_KEPT_LENGTH = 2048
const known = createLru<Readonly<CanonicalUrl>>(KEPT)

/** Returns the canonical form of an endpoint's URL, or a phrase with the reason if it has none. */
export function readUrl(text: string): Readonly<CanonicalUrl> | string {
  const kept = known.get(text)
  if (kept !== undefined) return kept
  try {
    const canonical = canonicalizeUrl(text)
    if (text.length <= MAX_KEPT_LENGTH) known.set(text, canonical)
    return canonical
  } catch (error) {
    if (error instanceof InvalidUrlError) return error.message
    throw error
  }
}
