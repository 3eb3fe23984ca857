import { decodeCursor, encodeCursor, type FeedPosition } from '@touchstone402/shared'
import type { Page } from '../http/deps.ts'
import { readChanges, readIncidents } from '../store/feeds.ts'
import { answerHtml } from './answerHtml.tsx'
import { EventList, type FeedEvent, timeOf } from './components/incidentList.tsx'
import { Layout } from './components/layout.tsx'
import { Choices } from './components/panel.tsx'
import { findHost } from './hostName.ts'
import type { PageDeps } from './pageDeps.ts'
import { FEED_PATHS, feedPath, hostFeedPath, profilePath } from './paths.ts'
import { readParameter } from './readParameter.ts'
import { writeRss } from './rss.ts'
import { cleanText } from './text.ts'

const SHOWN = 50
const IN_RSS = 100
const DESCRIPTION = 'What changed at x402 endpoints, and measured reasons not to pay them.'

const KINDS = ['incidents', 'changes'] as const
const NAMES = { incidents: 'Incidents', changes: 'Changes' }

/** Data of a feed page. */
type FeedView = {
  /** @default all */
  readonly kind?: (typeof KINDS)[number] | undefined
  /** @default from the newest on */
  readonly after?: FeedPosition | undefined
}

/** Creates `/feed`, which lists incidents and changes, and the RSS feeds of all hosts and of each. */
export function createFeedPages(deps: PageDeps): Page[] {
  const { store, config } = deps
  const writeFeed = async (view: FeedView & { host?: string }, name: string, path: string, page: string) => {
    const { events } = await readEvents(store, view, IN_RSS)
    const feed = { title: `Touchstone: ${name}`, description: DESCRIPTION, path, page, events }
    return writeRss(feed, config.publicUrl)
  }
  return [
    {
      path: '/feed',
      handler: async ({ search }) => {
        const view = readView(search)
        return answerHtml(<Feed {...deps} {...view} {...(await readEvents(store, view, SHOWN))} />)
      },
    },
    ...KINDS.map((kind) => ({
      path: FEED_PATHS[kind],
      handler: () => writeFeed({ kind }, kind, FEED_PATHS[kind], feedPath({ kind })),
    })),
    {
      path: '/services/:host/feed.rss',
      handler: async ({ params }) => {
        const { host } = await findHost(deps, params.host)
        return writeFeed({ host }, cleanText(host, 120), hostFeedPath(host), profilePath(host))
      },
    },
  ]
}

/** Parses a view from a query string. Invalid values are ignored. */
function readView(search: string): FeedView {
  const kind = readParameter(search, 'kind')
  return {
    kind: KINDS.find((name) => name === kind),
    after: decodeCursor(readParameter(search, 'cursor') ?? ''),
  }
}

const READ = {
  incidents: readIncidents,
  changes: readChanges,
}

/** Reads incidents and changes as one list, newest first, and the place from which it goes on. */
async function readEvents(store: PageDeps['store'], { kind, after }: FeedView, most: number) {
  const query = { since: 0, limit: most + 1, ...(after && { after }) }
  const kinds = kind === undefined ? KINDS : [kind]
  const read = await Promise.all(
    kinds.map((name): Promise<{ readonly records: readonly FeedEvent[] }> => READ[name](store, query)),
  )
  const found = read
    .flatMap(({ records }) => records)
    .sort((a, b) => timeOf(b).localeCompare(timeOf(a)) || (a.id < b.id ? 1 : -1))
  const events = found.slice(0, most)
  const last = found.length > most ? events.at(-1) : undefined
  return { events, next: last && { at: Date.parse(timeOf(last)), id: last.id } }
}

type FeedProps = PageDeps & FeedView & Awaited<ReturnType<typeof readEvents>>

function Feed({ kind, after, events, next, ...site }: FeedProps) {
  return (
    <Layout
      {...site}
      title="Incidents and changes at x402 endpoints"
      description={DESCRIPTION}
      path="/feed"
      feeds={KINDS.map((name) => ({ href: FEED_PATHS[name], title: NAMES[name] }))}
    >
      <h1>Incidents and changes</h1>
      <p class="lede">
        An incident is a measured reason not to pay an endpoint. It is resolved once the measurement no longer
        holds. A change is listed after a second probe confirms it. Follow by RSS:{' '}
        <a href={FEED_PATHS.incidents}>incidents</a>, <a href={FEED_PATHS.changes}>changes</a>.
      </p>
      <section class="panel" aria-label="Incidents and changes">
        <Choices
          label="Filter"
          options={[undefined, ...KINDS].map((name) => ({
            href: feedPath({ kind: name }),
            text: name === undefined ? 'All' : NAMES[name],
            isCurrent: name === kind,
          }))}
        />
        {events.length === 0 && <p class="empty">Nothing here yet.</p>}
        <EventList events={events} now={site.clock.now()} showHost />
        <nav class="pages" aria-label="Pages">
          {after === undefined ? <span /> : <a href={feedPath({ kind })}>Newest</a>}
          {next !== undefined && <a href={feedPath({ kind, cursor: encodeCursor(next) })}>Older</a>}
        </nav>
      </section>
    </Layout>
  )
}
