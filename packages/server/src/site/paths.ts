import { observationUrl } from '../domain/publish/publishedLook.ts'
import { profileUrl } from '../domain/publish/verdict.ts'

/** Path of a host's profile. */
export const profilePath = (host: string) => profileUrl('', host)

/** Path of a host's profile with the track record of the given endpoint. */
export const focusPath = (host: string, endpoint: string) =>
  `${profilePath(host)}?endpoint=${encodeURIComponent(endpoint)}`

/** Path of the RSS feed of one host. */
export const hostFeedPath = (host: string) => `${profilePath(host)}/feed.rss`

/** Paths of the RSS feeds of all hosts. */
export const FEED_PATHS = { incidents: '/incidents.rss', changes: '/changes.rss' } as const

/**
 * Path of the page for the owner of a host.
 * @param query the endpoint whose receiver is announced, or what the dispute is about
 */
export function ownerPath(host: string, query?: { readonly endpoint: string } | { readonly about: string }) {
  const path = `/owners/${encodeURIComponent(host)}`
  return query === undefined ? path : `${path}?${new URLSearchParams(query)}`
}

/** Path of a probe. */
export const lookPath = (id: string, endpoint: string) => observationUrl('', { id, endpoint })

/** Path of the feed, of one kind or host, from a place on. */
export function feedPath(query: Readonly<Partial<Record<'kind' | 'host' | 'cursor', string | undefined>>>) {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return given.length === 0 ? '/feed' : `/feed?${new URLSearchParams(given)}`
}

/** Path of an incident. */
export const incidentPath = (id: string) => `/incidents/${encodeURIComponent(id)}`
/** Path that takes checks. */
export const SCANS_PATH = '/scans'

/** Path of a check. */
export const scanPath = (id: string) => `${SCANS_PATH}/${encodeURIComponent(id)}`

/** Path that tells who runs the instance. */
export const ABOUT_PATH = '/about'

/** Path that explains the log and shows its newest checkpoint. */
export const LOG_PATH = '/log'

/** Path of the share card of a page that has one. @param page path of the page */
export const cardPath = (page: string) => `/cards${page}.png`
