import { decodeCursor, encodeCursor, type FeedPosition, OPERATIONS } from '@touchstone402/shared'
import { DAY } from '../domain/facts/times.ts'
import type { Page } from '../http/deps.ts'
import { answerHtml } from './answerHtml.tsx'
import { EventList, type FeedEvent, timeOf } from './components/incidentList.tsx'
import { Layout } from './components/layout.tsx'
import { Choices } from './components/panel.tsx'
import { Seller } from './components/prose.tsx'
import { findHost, readHost } from './hostName.ts'
import type { PageDeps } from './pageDeps.ts'
import { FEED_PATHS, feedPath, hostFeedPath, profilePath } from './paths.ts'
import { readParameter } from './readParameter.ts'
import { type RssFeed, writeRss } from './rss.ts'
import { cleanText } from './text.ts'

const SHOWN = 50
const IN_RSS = 100
const HOST_DAYS = 365

const KINDS = ['incidents', 'changes'] as const
type FeedKind = (typeof KINDS)[number]
const NAMES = { incidents: 'Incidents', changes: 'Changes' }
const FEEDS = KINDS.map((kind) => ({ href: FEED_PATHS[kind], title: NAMES[kind] }))

/** What a page of the feed shows. */
type FeedView = {
  /** @default all */
  readonly kind?: FeedKind | undefined
  /** @default all */
  readonly host?: string | undefined
  /** @default from the newest on */
  readonly after?: FeedPosition | undefined
}

type FoundEvents = { readonly events: readonly FeedEvent[]; readonly next: FeedPosition | undefined }

/** Creates `/feed`, which lists incidents and changes, and the RSS feeds of all hosts and of each. */
export function createFeedPages(deps: PageDeps): Page[] {
  const { store, clock, publicUrl, operator } = deps
  const writeFeed = async (view: FeedView, days: number, about: Omit<RssFeed, 'events'>) => {
    const { events } = await readEvents(store, view, IN_RSS, clock.now() - days * DAY)
    return writeRss({ ...about, events }, publicUrl)
  }
  return [
    {
      path: '/feed',
      handler: async ({ search }) => {
        const view = readView(search)
        const found = await readEvents(store, view, SHOWN)
        return answerHtml(<Feed {...found} {...{ view, publicUrl, operator }} now={clock.now()} />)
      },
    },
    ...KINDS.map((kind) => ({
      path: FEED_PATHS[kind],
      handler: () => {
        const days = OPERATIONS[kind].query.days.default
        return writeFeed({ kind }, days, {
          title: `Touchstone: ${kind}`,
          description: `${NAMES[kind]} at x402 endpoints in the last ${days} days, as measured.`,
          path: FEED_PATHS[kind],
          page: feedPath({ kind }),
        })
      },
    })),
    {
      path: '/services/:host/feed.rss',
      handler: async ({ params }) => {
        const { host } = await findHost(deps, params.host)
        const name = cleanText(host, 120)
        return writeFeed({ host }, HOST_DAYS, {
          title: `Touchstone: ${name}`,
          description: `Incidents and changes at ${name}, as measured.`,
          path: hostFeedPath(host),
          page: profilePath(host),
        })
      },
    },
  ]
}

/** Parses a view from a query string. Invalid values are ignored. */
function readView(search: string): FeedView {
  const kind = readParameter(search, 'kind')
  return {
    kind: KINDS.find((name) => name === kind),
    host: readHost(readParameter(search, 'host') ?? ''),
    after: decodeCursor(readParameter(search, 'cursor') ?? ''),
  }
}

/** Reads incidents and changes as one list, newest first, and the place from which it goes on. */
async function readEvents(
  store: PageDeps['store'],
  { kind, host, after }: FeedView,
  most: number,
  since = 0,
): Promise<FoundEvents> {
  const query = { since, limit: most + 1, ...(host && { host }), ...(after && { after }) }
  const read = await Promise.all(
    KINDS.filter((name) => kind === undefined || kind === name).map(
      (name): Promise<{ readonly records: readonly FeedEvent[] }> => store[name](query),
    ),
  )
  const found = read
    .flatMap(({ records }) => records)
    .sort((a, b) => timeOf(b).localeCompare(timeOf(a)) || (a.id < b.id ? 1 : -1))
  const events = found.slice(0, most)
  const last = found.length > most ? events.at(-1) : undefined
  return { events, next: last && { at: Date.parse(timeOf(last)), id: last.id } }
}

type FeedProps = FoundEvents &
  Pick<PageDeps, 'publicUrl' | 'operator'> & { readonly view: FeedView; readonly now: number }

function Feed({ events, next, view: { kind, host, after }, now, ...site }: FeedProps) {
  return (
    <Layout
      title="Incidents and changes at x402 endpoints"
      description="What changed at x402 endpoints, and measured reasons not to pay them."
      path="/feed"
      {...site}
      feeds={FEEDS}
    >
      <h1>Incidents and changes</h1>
      <p class="lede">
        An incident is a measured reason not to pay an endpoint, and is resolved once the measurement no
        longer holds. A change is listed once a second probe confirms it. Follow by RSS:{' '}
        <a href={FEED_PATHS.incidents}>incidents</a>, <a href={FEED_PATHS.changes}>changes</a>.
      </p>
      {host !== undefined && (
        <p class="lede">
          At{' '}
          <a href={profilePath(host)}>
            <Seller text={host} />
          </a>{' '}
          only. <a href={feedPath({ kind })}>Show all hosts</a>
        </p>
      )}
      <section class="panel" aria-label="Incidents and changes">
        <Choices
          label="Filter"
          options={[undefined, ...KINDS].map((name) => ({
            href: feedPath({ kind: name, host }),
            text: name === undefined ? 'All' : NAMES[name],
            isCurrent: name === kind,
          }))}
        />
        {events.length === 0 && <p class="empty">Nothing here yet.</p>}
        <EventList events={events} now={now} showHost />
        <nav class="pages" aria-label="Pages">
          {after === undefined ? <span /> : <a href={feedPath({ kind, host })}>Newest</a>}
          {next !== undefined && <a href={feedPath({ kind, host, cursor: encodeCursor(next) })}>Older</a>}
        </nav>
      </section>
    </Layout>
  )
}
