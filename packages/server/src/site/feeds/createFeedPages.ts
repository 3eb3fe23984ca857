import { OPERATIONS } from '@touchstone402/shared'
import { DAY } from '../../domain/facts/times.ts'
import type { Page, PageRequest } from '../../http/deps.ts'
import { findHost } from '../findHost.ts'
import type { PageDeps } from '../pageDeps.ts'
import { FEED_PATHS, type FeedPaths, hostFeedPaths, profilePath } from '../paths.ts'
import { cleanText } from '../text.ts'
import { changeItem, type Feed, incidentItem } from './feedItems.ts'
import { writeJsonFeed, writeRss } from './writeFeed.ts'

const LIMIT = 100
const HOST_DAYS = 365

/** Creates the feeds: incidents and changes of all hosts, and both combined per host. */
export function createFeedPages(deps: PageDeps): Page[] {
  const hostPattern = { rss: '/services/:host/feed.rss', json: '/services/:host/feed.json' }
  return [
    ...createPair(deps, FEED_PATHS.incidents, async () => [await readIncidents(deps), FEED_PATHS.incidents]),
    ...createPair(deps, FEED_PATHS.changes, async () => [await readChanges(deps), FEED_PATHS.changes]),
    ...createPair(deps, hostPattern, async ({ params }) => {
      const { host } = findHost(deps, params.host)
      return [await readHostFeed(deps, host), hostFeedPaths(host)]
    }),
  ]
}

/** Creates the pages of one feed in both formats. */
function createPair(
  { publicUrl }: PageDeps,
  paths: FeedPaths,
  read: (request: PageRequest) => Promise<[feed: Feed, self: FeedPaths]>,
): Page[] {
  const create = (format: keyof FeedPaths, write: typeof writeRss): Page => ({
    path: paths[format],
    handler: async (request) => {
      const [feed, self] = await read(request)
      return write(feed, publicUrl + self[format])
    },
  })
  return [create('rss', writeRss), create('json', writeJsonFeed)]
}

async function readIncidents({ store, clock, publicUrl }: PageDeps): Promise<Feed> {
  const days = OPERATIONS.incidents.query.days.default
  const { records } = await store.incidents({ since: clock.now() - days * DAY, limit: LIMIT })
  return {
    title: 'Touchstone: incidents',
    description: `Security incidents at x402 endpoints in the last ${days} days, as measured, with on-chain proof.`,
    homeUrl: `${publicUrl}/incidents`,
    items: records.map((incident) => incidentItem(incident, publicUrl)),
  }
}

async function readChanges({ store, clock, publicUrl }: PageDeps): Promise<Feed> {
  const days = OPERATIONS.changes.query.days.default
  const { records } = await store.changes({ since: clock.now() - days * DAY, limit: LIMIT })
  return {
    title: 'Touchstone: changes',
    description: `Changes at x402 endpoints in the last ${days} days.`,
    homeUrl: `${publicUrl}/changes`,
    items: records.map((change) => changeItem(change, publicUrl)),
  }
}

async function readHostFeed({ store, clock, publicUrl }: PageDeps, host: string): Promise<Feed> {
  const query = { since: clock.now() - HOST_DAYS * DAY, limit: LIMIT, host }
  const [incidents, changes] = await Promise.all([store.incidents(query), store.changes(query)])
  const name = cleanText(host, 120)
  return {
    title: `Touchstone: ${name}`,
    description: `Incidents and changes at ${name}, as measured.`,
    homeUrl: `${publicUrl}${profilePath(host)}`,
    items: [
      ...incidents.records.map((incident) => incidentItem(incident, publicUrl)),
      ...changes.records.map((change) => changeItem(change, publicUrl)),
    ]
      .sort((a, b) => b.at.localeCompare(a.at))
      .slice(0, LIMIT),
  }
}
