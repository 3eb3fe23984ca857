import { OPERATIONS } from '@touchstone402/shared'
import { DAY } from '../../domain/facts/times.ts'
import type { Page } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import { profilePath } from '../components/incidentList.tsx'
import { readHost } from '../hostName.ts'
import type { PageDeps } from '../pageDeps.ts'
import { cleanText } from '../text.ts'
import { changeItem, type Feed, incidentItem } from './feedItems.ts'
import { writeJsonFeed, writeRss } from './writeFeed.ts'

const LIMIT = 100
const HOST_DAYS = 365

/** Where each feed is, by what it is about. */
export const FEED_PATHS = {
  incidents: { rss: '/incidents.rss', json: '/incidents.feed.json' },
  changes: { rss: '/changes.rss', json: '/changes.feed.json' },
} as const

/** Where the feeds of one host are. */
export function hostFeedPath(host: string, format: 'rss' | 'json'): string {
  return `${profilePath(host)}/feed.${format}`
}

/** The feeds: incidents and changes of all hosts, and both together of one. */
export function createFeedPages(deps: PageDeps): Page[] {
  const { publicUrl } = deps
  const readers = { incidents: () => readIncidents(deps), changes: () => readChanges(deps) }
  return [
    ...(['incidents', 'changes'] as const).flatMap((about): Page[] => {
      const { rss, json } = FEED_PATHS[about]
      return [
        { path: rss, handler: async () => writeRss(await readers[about](), publicUrl + rss) },
        { path: json, handler: async () => writeJsonFeed(await readers[about](), publicUrl + json) },
      ]
    }),
    hostPage(deps, 'rss', writeRss),
    hostPage(deps, 'json', writeJsonFeed),
  ]
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
    description: `What changed at x402 endpoints in the last ${days} days.`,
    homeUrl: `${publicUrl}/changes`,
    items: records.map((change) => changeItem(change, publicUrl)),
  }
}

function hostPage(deps: PageDeps, format: 'rss' | 'json', write: typeof writeRss): Page {
  return {
    path: `/services/:host/feed.${format}`,
    handler: async ({ params }) => {
      const host = readHost(params.host ?? '')
      if (host === undefined || deps.readModel.host(host) === undefined) {
        throw new ProblemError(404, 'never_seen', 'No endpoint of this host is known.')
      }
      return write(await readHostFeed(deps, host), deps.publicUrl + hostFeedPath(host, format))
    },
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
