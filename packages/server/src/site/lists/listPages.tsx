import { type Change, type Incident, OPERATIONS, parseQuery } from '@touchstone402/shared'
import type { ComponentChildren, FunctionComponent } from 'preact'
import { DAY } from '../../domain/facts/times.ts'
import type { Page } from '../../http/deps.ts'
import { badQuery } from '../../http/free/freeRoute.ts'
import type { FeedPage, FeedQuery } from '../../ports/store.ts'
import { answerHtml } from '../answerHtml.tsx'
import {
  CHANGE_NAMES,
  ChangeList,
  INCIDENT_NAMES,
  IncidentList,
  type ListProps,
} from '../components/incidentList.tsx'
import { Layout } from '../components/layout.tsx'
import { Choices, Pages, Panel } from '../components/panel.tsx'
import { Table } from '../components/table.tsx'
import { plural } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { FEED_PATHS } from '../paths.ts'
import { readPage, readParameter } from '../readParameter.ts'

const WINDOW_DAYS = [7, 30, 90, 365]
const SHOWN = 60
/** Maximum number of records that a plot counts, which is the contract's limit. */
const COUNTED = OPERATIONS.incidents.query.limit.max

type ListName = 'incidents' | 'changes'

const LEDES = {
  incidents:
    'Measured reasons not to pay an endpoint, each with its proof on chain. An incident is resolved once the measurement no longer holds.',
  changes:
    'Services that went dark or recovered, changed receivers, price increases, new services. A change is listed once a second probe confirms it.',
}

/** Creates the lists of incidents and of changes. */
export function createListPages(deps: PageDeps): Page[] {
  const { store } = deps
  return [
    createListPage(deps, 'incidents', (query) => store.incidents(query), INCIDENT_NAMES, IncidentList),
    createListPage(deps, 'changes', (query) => store.changes(query), CHANGE_NAMES, ChangeList),
  ]
}

function createListPage<T extends Incident | Change>(
  { clock, publicUrl }: PageDeps,
  list: ListName,
  read: (query: FeedQuery) => Promise<FeedPage<T>>,
  names: Readonly<Record<string, string>>,
  List: FunctionComponent<ListProps<T>>,
): Page {
  return {
    path: `/${list}`,
    handler: async ({ search }) => {
      const query = parseQuery(OPERATIONS[list].query, search)
      if (!query.ok) throw badQuery(query.errors)
      const { days } = query.value
      const now = clock.now()
      const { records, total } = await read({ since: now - days * DAY, limit: COUNTED })
      const kind = Object.keys(names).find((name) => name === readParameter(search, 'kind'))
      const matching = kind === undefined ? records : records.filter((record) => record.kind === kind)
      const pages = Math.max(1, Math.ceil(matching.length / SHOWN))
      const page = Math.min(readPage(readParameter(search, 'page')), pages)
      const view = { list, publicUrl, days, total, names, records, kind, page, pages }
      return answerHtml(
        <ListPage {...view}>
          <List items={matching.slice((page - 1) * SHOWN, page * SHOWN)} now={now} showHost />
        </ListPage>,
      )
    },
  }
}

/** URL of a list with a range, a kind and a page. */
function listUrl(list: ListName, days: number, kind: string | undefined, page = 1): string {
  return `/${list}?days=${days}${kind === undefined ? '' : `&kind=${kind}`}${page === 1 ? '' : `&page=${page}`}`
}

type ListPageProps = {
  readonly list: ListName
  readonly publicUrl: string
  readonly days: number
  readonly total: number
  readonly names: Readonly<Record<string, string>>
  readonly records: readonly (Incident | Change)[]
  /** Kind that is shown. @default all */
  readonly kind: string | undefined
  readonly page: number
  readonly pages: number
  readonly children: ComponentChildren
}

function ListPage(props: ListPageProps) {
  const { list, publicUrl, days, total, names, records, kind, page, pages, children } = props
  const title = list === 'incidents' ? 'Incidents' : 'Changes'
  const rss = FEED_PATHS[list]
  const data = OPERATIONS[list].path
  return (
    <Layout
      title={`${title} at x402 endpoints`}
      description={LEDES[list]}
      path={`/${list}`}
      publicUrl={publicUrl}
      feeds={[{ href: rss, title }]}
    >
      <div class="head">
        <h1>{title}</h1>
        <Choices
          label="Time range"
          options={WINDOW_DAYS.map((length) => ({
            href: listUrl(list, length, kind),
            text: `${length} days`,
            isCurrent: length === days,
          }))}
        />
      </div>
      <p class="lede">{LEDES[list]}</p>
      <div class="columns">
        <section class="panel" aria-label={title}>
          {total === 0 && (
            <p class="empty">
              None in the last {plural(days, 'day')}. A longer range may show some, and new ones come first.
            </p>
          )}
          {children}
          <Pages page={page} pages={pages} urlOf={(other) => listUrl(list, days, kind, other)} />
          {total > COUNTED && (
            <p class="muted small">
              The newest {COUNTED.toLocaleString('en-US')} of {total.toLocaleString('en-US')}.
            </p>
          )}
        </section>
        <div class="stack">
          <Panel id="kinds" title="By kind">
            <Table
              rows={Object.entries(names)}
              columns={[
                {
                  cell: ([id, name]) => (
                    <>
                      <a
                        href={listUrl(list, days, id === kind ? undefined : id)}
                        {...(id === kind && { 'aria-current': 'true' as const })}
                      >
                        {name}
                      </a>{' '}
                      <code class="muted small">{id}</code>
                    </>
                  ),
                },
                { isEnd: true, cell: ([id]) => records.filter((record) => record.kind === id).length },
              ]}
            />
          </Panel>
          <Panel id="feeds" title="Follow" isAside>
            <p>
              <a href={rss}>RSS</a> or <a href={data}>plain data</a>. Each service also has its own feeds.
            </p>
          </Panel>
        </div>
      </div>
    </Layout>
  )
}
