import {
  CHANGE_KINDS,
  decodeCursor,
  encodeCursor,
  type FeedPosition,
  INCIDENT_KINDS,
  OPERATIONS,
} from '@touchstone402/shared'
import { DAY } from '../domain/facts/times.ts'
import type { Page } from '../http/deps.ts'
import { answerHtml } from './answerHtml.tsx'
import {
  CHANGE_NAMES,
  EventList,
  type FeedEvent,
  INCIDENT_NAMES,
  timeOf,
} from './components/incidentList.tsx'
import { Layout } from './components/layout.tsx'
import { Choices } from './components/panel.tsx'
import { Seller } from './components/prose.tsx'
import { findHost, readHost } from './hostName.ts'
import type { PageDeps } from './pageDeps.ts'
import { FEED_PATHS, feedPath, hostFeedPath, profilePath } from './paths.ts'
import { readParameter } from './readParameter.ts'
import { writeRss } from './rss.ts'
import { cleanText } from './text.ts'

const SHOWN = 50
/** Number of records that a page looks at to find some of one kind, which no index does. */
const SCANNED = 1_000
const IN_RSS = 100
const HOST_DAYS = 365

const KIND_NAMES = { incidents: 'Incidents', changes: 'Changes', ...INCIDENT_NAMES, ...CHANGE_NAMES }
type FeedKind = keyof typeof KIND_NAMES
const GROUPS = [
  { feed: 'incidents', kinds: INCIDENT_KINDS },
  { feed: 'changes', kinds: CHANGE_KINDS },
] as const
const KINDS: readonly FeedKind[] = GROUPS.flatMap(({ feed, kinds }) => [feed, ...kinds])

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
  const { store, clock, publicUrl } = deps
  const readSince = async (days: number, view: FeedView) =>
    (await readEvents(store, view, IN_RSS, clock.now() - days * DAY)).events
  return [
    {
      path: '/feed',
      handler: async ({ search }) => {
        const view = readView(search)
        const found = await readEvents(store, view, SHOWN)
        return answerHtml(
          <Feed {...found} view={view} now={clock.now()} publicUrl={publicUrl} operator={deps.operator} />,
        )
      },
    },
    ...(['incidents', 'changes'] as const).map((kind) => ({
      path: FEED_PATHS[kind],
      handler: async () => {
        const days = OPERATIONS[kind].query.days.default
        const description = `${KIND_NAMES[kind]} at x402 endpoints in the last ${days} days, as measured.`
        const about = { title: `Touchstone: ${kind}`, description, path: FEED_PATHS[kind] }
        return writeRss(
          { ...about, page: feedPath({ kind }), events: await readSince(days, { kind }) },
          publicUrl,
        )
      },
    })),
    {
      path: '/services/:host/feed.rss',
      handler: async ({ params }) => {
        const { host } = await findHost(deps, params.host)
        const name = cleanText(host, 120)
        const description = `Incidents and changes at ${name}, as measured.`
        const about = { title: `Touchstone: ${name}`, description, path: hostFeedPath(host) }
        return writeRss(
          { ...about, page: profilePath(host), events: await readSince(HOST_DAYS, { host }) },
          publicUrl,
        )
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
  const isWhole = kind === undefined || kind === 'incidents' || kind === 'changes'
  const limit = isWhole ? most + 1 : SCANNED
  const query = { since, limit, ...(host && { host }), ...(after && { after }) }
  const read = await Promise.all(
    GROUPS.filter(({ feed, kinds }) => kind === undefined || [feed, ...kinds].includes(kind)).map(
      ({ feed }): Promise<{ readonly records: readonly FeedEvent[] }> => store[feed](query),
    ),
  )
  const scanned = read
    .flatMap(({ records }) => records)
    .sort((a, b) => timeOf(b).localeCompare(timeOf(a)) || (a.id < b.id ? 1 : -1))
    .slice(0, limit)
  const matching = isWhole ? scanned : scanned.filter((event) => event.kind === kind)
  const events = matching.slice(0, most)
  const last = matching.length > most ? events.at(-1) : scanned.length === limit ? scanned.at(-1) : undefined
  return { events, next: last && { at: Date.parse(timeOf(last)), id: last.id } }
}

type FeedProps = FoundEvents &
  Pick<PageDeps, 'publicUrl' | 'operator'> & { readonly view: FeedView; readonly now: number }

function Feed({ events, next, view: { kind, host, after }, now, publicUrl, operator }: FeedProps) {
  const group = GROUPS.find(({ feed, kinds }) => kind === feed || kinds.some((name) => name === kind))
  const choose = (chosen: FeedKind | undefined, text: string, isCurrent: boolean) => ({
    href: feedPath({ kind: chosen, host }),
    text,
    isCurrent,
  })
  return (
    <Layout
      title="Incidents and changes at x402 endpoints"
      description="What changed at x402 endpoints, and measured reasons not to pay them."
      path="/feed"
      publicUrl={publicUrl}
      operator={operator}
      feeds={[
        { href: FEED_PATHS.incidents, title: 'Incidents' },
        { href: FEED_PATHS.changes, title: 'Changes' },
      ]}
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
          options={[
            choose(undefined, 'All', kind === undefined),
            ...GROUPS.map(({ feed }) => choose(feed, KIND_NAMES[feed], feed === group?.feed)),
          ]}
        />
        {group !== undefined && (
          <Choices
            label="Filter by kind"
            options={group.kinds.map((name) => choose(name, KIND_NAMES[name], name === kind))}
          />
        )}
        {events.length === 0 && (
          <p class="empty">
            {next === undefined ? 'Nothing here yet.' : 'None among the newest. Older ones may match.'}
          </p>
        )}
        <EventList events={events} now={now} showHost />
        <nav class="pages" aria-label="Pages">
          {after === undefined ? <span /> : <a href={feedPath({ kind, host })}>Newest</a>}
          {next !== undefined && <a href={feedPath({ kind, host, cursor: encodeCursor(next) })}>Older</a>}
        </nav>
      </section>
    </Layout>
  )
}
