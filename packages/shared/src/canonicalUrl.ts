/** Why a URL was refused. */
export type InvalidUrlCode =
  | 'not_a_url'
  | 'too_long'
  | 'bad_characters'
  | 'scheme_not_http'
  | 'has_credentials'
  | 'bad_host'

const REASONS: Record<InvalidUrlCode, string> = {
  not_a_url: 'expected an absolute http or https URL',
  too_long: 'expected at most 16384 characters, and 2048 without the query',
  bad_characters: 'expected no white space or control characters, and no backslashes before the query',
  scheme_not_http: 'expected the scheme http or https',
  has_credentials: 'expected no user name or password',
  bad_host: 'expected a host name or an IP address',
}

/** Text that is not the URL of an endpoint. `code` states why. */
export class InvalidUrlError extends Error {
  override readonly name = 'InvalidUrlError'
  readonly code: InvalidUrlCode
  constructor(code: InvalidUrlCode) {
    super(REASONS[code])
    this.code = code
  }
}

/** Identity of an endpoint, without query and fragment. */
export type CanonicalUrl = {
  /** `scheme://host[:port]/path`: the form that is stored, compared and signed. */
  key: string
  /** `scheme://host[:port]` */
  origin: string
  /** Host, with the port unless it is the default of the scheme. */
  host: string
  hostname: string
  scheme: 'http' | 'https'
  path: string
}

const MAX_LENGTH = 16_384
/** Without query and fragment. */
const MAX_KEY_LENGTH = 2048
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it rejects
const BAD_CHARACTERS = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029\ufeff]/
// The parser turns it into a slash before the query, and keeps it after that.
const BACKSLASH = /^[^?#]*\\/
const UNRESERVED = /[A-Za-z0-9\-._~]/

/**
 * Converts a URL to the canonical form that the server and the guard compare.
 *
 * Beyond the WHATWG parser (lower-case host, punycode, canonical IP addresses, no default port, resolved dot
 * segments), it drops one trailing dot of the host, decodes percent escapes of unreserved characters, upper-cases
 * other escapes, and encodes a stray `%` as `%25`. It keeps `%2F` and `//`, which servers distinguish.
 * Idempotent: the key of a key is itself.
 * @throws InvalidUrlError
 */
export function canonicalizeUrl(input: string): CanonicalUrl {
  if (input.length > MAX_LENGTH) throw new InvalidUrlError('too_long')
  if (BAD_CHARACTERS.test(input) || BACKSLASH.test(input)) throw new InvalidUrlError('bad_characters')
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]/.test(input)) throw new InvalidUrlError('not_a_url')
  let url: URL
  try {
    url = new URL(input)
  } catch {
    throw new InvalidUrlError('not_a_url')
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new InvalidUrlError('scheme_not_http')
  // Also checks the raw authority: the parser drops the empty user name of "http://@host".
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(input)) {
    throw new InvalidUrlError('has_credentials')
  }
  const hostname = url.hostname.replace(/\.$/, '')
  if (!isHostname(hostname)) throw new InvalidUrlError('bad_host')
  const host = url.port === '' ? hostname : `${hostname}:${url.port}`
  const origin = `${url.protocol}//${host}`
  const path = canonicalizePath(url.pathname)
  const key = origin + path
  if (key.length > MAX_KEY_LENGTH) throw new InvalidUrlError('too_long')
  return { key, origin, host, hostname, scheme: url.protocol === 'http:' ? 'http' : 'https', path }
}

function isHostname(hostname: string): boolean {
  if (hostname.startsWith('[')) return hostname.endsWith(']')
  if (hostname.length === 0 || hostname.length > 253) return false
  return hostname.split('.').every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))
}

// Decoding creates no dot segment, because the parser has already resolved %2E. A stray percent sign becomes %25,
// or a character decoded after it could complete an escape: %a%41 is %25aA, never %aA.
function canonicalizePath(path: string): string {
  return path.replace(/%([0-9A-Fa-f]{2})?/g, (encoded: string, hex: string | undefined) => {
    if (hex === undefined) return '%25'
    const character = String.fromCharCode(Number.parseInt(hex, 16))
    return UNRESERVED.test(character) ? character : encoded.toUpperCase()
  })
}

const TEMPLATE_SEGMENT = /^(%7B[A-Za-z0-9_-]+%7D|:[A-Za-z0-9_-]+)$/

/** Whether a listed path has a placeholder segment: `/weather/{city}` or `/weather/:city`. */
export function isTemplate(key: string): boolean {
  return key
    .split('/')
    .slice(3)
    .some((segment) => TEMPLATE_SEGMENT.test(segment))
}

/** Whether a template matches an endpoint: same origin, same segments, and any non-empty text for a placeholder. */
export function matchesTemplate(templateKey: string, key: string): boolean {
  const wanted = templateKey.split('/')
  const given = key.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((segment, index) =>
      index > 2 && TEMPLATE_SEGMENT.test(segment) ? given[index] !== '' : segment === given[index],
    )
  )
}
