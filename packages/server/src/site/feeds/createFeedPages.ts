import { OPERATIONS } from '@touchstone402/shared'
import { DAY } from '../../domain/facts/times.ts'
import type { Page } from '../../http/deps.ts'
import { findHost } from '../hostName.ts'
import type { PageDeps } from '../pageDeps.ts'
import { FEED_PATHS, hostFeedPath, profilePath } from '../paths.ts'
import { cleanText } from '../text.ts'
import { changeItem, type Feed, incidentItem } from './feedItems.ts'
import { writeRss } from './writeFeed.ts'

const LIMIT = 100
const HOST_DAYS = 365

/** Creates the feeds: incidents and changes of all hosts, and both combined per host. */
export function createFeedPages(deps: PageDeps): Page[] {
  const { publicUrl } = deps
  return [
    ...(['incidents', 'changes'] as const).map((about) => ({
      path: FEED_PATHS[about],
      handler: async () => writeRss(await readFeed(deps, about), publicUrl + FEED_PATHS[about]),
    })),
    {
      path: '/services/:host/feed.rss',
      handler: async ({ params }) => {
        const { host } = await findHost(deps, params.host)
        return writeRss(await readHostFeed(deps, host), publicUrl + hostFeedPath(host))
      },
    },
  ]
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
