import { canonicalizeUrl, InvalidUrlError } from '@touchstone402/shared'

/** The host that a text names, in the form that the index keeps, or undefined where it names none. */
export function readHost(text: string): string | undefined {
  if (/[/?#@]/.test(text)) return undefined
  try {
    // Read by the scheme whose default port it has not, so that a port that is written stays.
    return canonicalizeUrl(`${text.endsWith(':443') ? 'http' : 'https'}://${text}`).host
  } catch (error) {
    if (error instanceof InvalidUrlError) return undefined
    throw error
  }
}
