/** How the resource that a challenge names relates to the URL that was asked. */
export type ResourceFit =
  /** The same host and port, or of the same site; or nothing that names a host. */
  | 'fits'
  /** A name of a private network, such as a forgotten `localhost`, which means nothing to a caller elsewhere. */
  | 'private'
  | 'foreign'

/**
 * Compares the resource that a challenge names with the URL that was asked. Paths may differ.
 *
 * The scheme may differ, since sellers behind a proxy that ends TLS often state `http`. A relative resource fits.
 * @param isSameSite whether two other hosts belong to one owner; by default none do
 */
export function compareResource(
  resource: string | null,
  askedUrl: string,
  isSameSite: (a: string, b: string) => boolean = () => false,
): ResourceFit {
  // Most name the origin that was asked, which needs no parsing.
  if (resource !== null && askedUrl.startsWith(`${resource}/`)) return 'fits'
  const named = resource === null ? null : readHost(resource)
  const asked = new URL(askedUrl)
  if (named === null) return 'fits'
  const { hostname } = named
  // The port is empty if it is the scheme's default, so http and https of one host match.
  if (hostname === asked.hostname && named.port === asked.port) return 'fits'
  if (SELF.test(hostname) && SELF.test(asked.hostname)) {
    return named.port === asked.port ? 'fits' : 'foreign'
  }
  if (isPrivate(hostname) && !isPrivate(asked.hostname)) return 'private'
  return named.port === asked.port && isSameSite(hostname, asked.hostname) ? 'fits' : 'foreign'
}

/** Returns the origin that a resource names, or null if it names none, being relative or not of HTTP. */
export function originOf(resource: string): string | null {
  return readHost(resource)?.origin ?? null
}

// Resolved against it, a relative resource keeps this host, and a path with two slashes in front names its own.
const BASE = 'https://relative.invalid'

function readHost(resource: string): URL | null {
  if (!URL.canParse(resource, BASE)) return null
  const url = new URL(resource, BASE)
  url.hostname = url.hostname.replace(/\.$/, '')
  return /^https?:$/.test(url.protocol) && url.origin !== BASE ? url : null
}

/** Whether the host name of a URL means this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(hostname)
}

/** Returns whether responses of a URL cannot be changed in transit: https, or http on this machine. */
export function isSecureUrl(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

// Names below `localhost` may be different sellers.
const SELF = /^(localhost|127\.0\.0\.1|\[::1\])$/
const PRIVATE_NAME = /^[^.[]+$|\.(localhost|local|internal|lan|home\.arpa)$/
const PRIVATE_V4 = /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$/
const PRIVATE_V6 = /^\[(::1?|f[cd].{2}:.*|fe80:.*)\]$/

function isPrivate(hostname: string): boolean {
  return PRIVATE_NAME.test(hostname) || PRIVATE_V4.test(hostname) || PRIVATE_V6.test(hostname)
}
