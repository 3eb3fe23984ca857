import { OPERATIONS } from '@touchstone402/shared'
import { DAY } from '../../domain/facts/times.ts'
import type { Page, PageRequest } from '../../http/deps.ts'
import { findHost } from '../hostName.ts'
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
    ...(['incidents', 'changes'] as const).flatMap((about) =>
      createPair(deps, FEED_PATHS[about], async () => [await readFeed(deps, about), FEED_PATHS[about]]),
    ),
    ...createPair(deps, hostPattern, async ({ params }) => {
      const { host } = await findHost(deps, params.host)
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

async function readFeed(
  { store, clock, publicUrl }: PageDeps,
  about: keyof typeof FEED_PATHS,
): Promise<Feed> {
  const days = OPERATIONS[about].query.days.default
  const query = { since: clock.now() - days * DAY, limit: LIMIT }
  return {
    title: `Touchstone: ${about}`,
    description: `${about === 'incidents' ? 'Incidents' : 'Changes'} at x402 endpoints in the last ${days} days, as measured.`,
    homeUrl: `${publicUrl}/${about}`,
    items:
      about === 'incidents'
        ? (await store.incidents(query)).records.map((incident) => incidentItem(incident, publicUrl))
        : (await store.changes(query)).records.map((change) => changeItem(change, publicUrl)),
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
