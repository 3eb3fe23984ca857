import { isPublicAddress, parseIpAddress } from '@touchstone402/shared/addresses'

/** The URL of a webhook in its normal form, or what is wrong with it. */
export type WebhookUrl = { readonly url: string } | { readonly fault: string }

const MAX_LENGTH = 2_048

/**
 * Reads the URL of a webhook: https on the default port, and no address that is known to be private. What its name
 * resolves to is checked when it is dialled.
 * @param allowPrivate hosts with ports that may be reached at any address and by http, for development
 */
export function readWebhookUrl(text: string, allowPrivate: readonly string[]): WebhookUrl {
  if (text === '') return { fault: 'Enter the URL.' }
  if (text.length > MAX_LENGTH) return { fault: `expected at most ${MAX_LENGTH} characters` }
  if (!/^[!-~]+$/.test(text) || !URL.canParse(text)) {
    return { fault: 'expected an absolute https URL in printable ASCII, without spaces' }
  }
  const { href, protocol, username, password, hash, port, hostname, host } = new URL(text)
  if (href.length > MAX_LENGTH) return { fault: `expected at most ${MAX_LENGTH} characters` }
  if (username !== '' || password !== '') return { fault: 'expected no user name or password' }
  if (hash !== '') return { fault: 'expected no fragment' }
  const isDevelopment = allowPrivate.includes(host) || allowPrivate.includes(hostname)
  if (isDevelopment && (protocol === 'https:' || protocol === 'http:')) return { url: href }
  if (protocol !== 'https:') return { fault: 'expected the scheme https' }
  if (port !== '') return { fault: 'expected the default port' }
  const bare = hostname.replace(/^\[|\]$/g, '')
  if (parseIpAddress(bare) !== undefined && !isPublicAddress(bare)) {
    return { fault: 'expected a public address' }
  }
  return { url: href }
}
