import { observationUrl } from '../publish/publishedObservation.ts'
import { profileUrl } from '../publish/verdict.ts'

/** Path of a host's profile. */
export const profilePath = (host: string) => profileUrl('', host)

/** Adds a query to a path, without the fields that are undefined. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

/** Path of a host's profile with the track record of the given endpoint. */
export const focusPath = (host: string, endpoint: string) => withQuery(profilePath(host), { endpoint })

/** Path of the RSS feed of one host. */
export const hostFeedPath = (host: string) => `${profilePath(host)}/feed.rss`

/** Paths of the RSS feeds of all hosts. */
export const FEED_PATHS = { incidents: '/incidents.rss', changes: '/changes.rss' } as const

/** Path of the page for the owner of a host, with the endpoint to announce for or what a dispute is about. */
export const ownerPath = (
  host: string,
  query: Readonly<Partial<Record<'endpoint' | 'about', string>>> = {},
) => withQuery(`/owners/${encodeURIComponent(host)}`, query)

/** Path of a probe. */
export const probePath = (id: string, endpoint: string) => observationUrl('', { id, endpoint })

/** Path of the feed, of one kind, from a place on. */
export const feedPath = (query: Readonly<Partial<Record<'kind' | 'cursor', string | undefined>>>) =>
  withQuery('/feed', query)

/** Path of an incident. */
export const incidentPath = (id: string) => `/incidents/${encodeURIComponent(id)}`
/** Path of the API reference. */
export const REFERENCE_PATH = '/docs/reference'

/** Path of an operation in the API reference. */
export const referencePath = (operationId: string) => `${REFERENCE_PATH}/${operationId}`

/** Path that takes checks. */
export const SCANS_PATH = '/scans'

/** Path of a check. */
export const scanPath = (id: string) => `${SCANS_PATH}/${encodeURIComponent(id)}`

/** Path of the page about the operator. */
export const ABOUT_PATH = '/about'

/** Path that explains the log and shows its newest checkpoint. */
export const LOG_PATH = '/log'

/** Path of the list of tokens. */
export const TOKENS_PATH = '/tokens'

/** Path of the share card of a page that has one. @param page path of the page */
export const cardPath = (page: string) => `/cards${page}.png`

/** Path of the latest report, or of the one of a date. */
export const reportPath = (date?: string) => (date === undefined ? '/reports' : `/reports/${date}`)

/** Path of one series of a report, as a page or in another form. */
export const seriesPath = (date: string, id: string, form: '' | '.png' | '.csv' = '') =>
  `${reportPath(date)}/${id}${form}`
