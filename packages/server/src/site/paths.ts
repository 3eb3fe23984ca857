import { OPERATIONS } from '@touchstone402/shared'
import { profileUrl } from '../domain/publish/verdict.ts'

/** Path of a host's profile. */
export const profilePath = (host: string) => profileUrl('', host)

/** Path of a host's profile with the track record of the given endpoint. */
export const focusPath = (host: string, endpoint: string) =>
  `${profilePath(host)}?endpoint=${encodeURIComponent(endpoint)}`

/** Path that queues a host for an early probe. */
export const recheckPath = (host: string) => `${profilePath(host)}/recheck`

/** Paths of a feed in both formats. */
export type FeedPaths = { readonly rss: string; readonly json: string }

/** Paths of the feed of one host. */
export const hostFeedPaths = (host: string): FeedPaths => ({
  rss: `${profilePath(host)}/feed.rss`,
  json: `${profilePath(host)}/feed.json`,
})

/** Paths of the feeds of all hosts. */
export const FEED_PATHS: Readonly<Record<'incidents' | 'changes', FeedPaths>> = {
  incidents: { rss: '/incidents.rss', json: '/incidents.feed.json' },
  changes: { rss: '/changes.rss', json: '/changes.feed.json' },
}

/** Path of the page of a named schema. */
export const schemaPath = (name: string) => `/docs/schemas/${encodeURIComponent(name)}`

/** URL of the live check of an endpoint. */
export const liveCheckUrl = (publicUrl: string, endpoint: string) =>
  `${publicUrl}${OPERATIONS.trust.path}?endpoint=${encodeURIComponent(endpoint)}`
