import { type Change, type Incident, OPERATIONS, type Profile, type StatusFeed } from '@touchstone402/shared'
import type { Time } from '../../domain/facts/facts.ts'
import { DAY } from '../../domain/facts/times.ts'
import type { Page } from '../../http/deps.ts'
import { answerHtml, answerJson } from '../answerHtml.tsx'
import { ChangeList, IncidentList } from '../components/incidentList.tsx'
import { Layout, Search } from '../components/layout.tsx'
import { DayBars } from '../components/plots.tsx'
import { FEED_PATHS } from '../feeds/createFeedPages.ts'
import { FEED_TYPES } from '../feeds/writeFeed.ts'
import { createServiceList } from '../listServices.ts'
import { countDays } from '../lists/listPages.tsx'
import type { PageDeps } from '../pageDeps.ts'
import { readParameter } from '../readParameter.ts'
import { AnswerPanel } from './answerPanel.tsx'
import { CrawlLine } from './crawlLine.tsx'
import { findAnswer, type SearchAnswer } from './findAnswer.ts'
import { Directories, Overview } from './overview.tsx'
import { describeIndex } from './serviceIndex.ts'
import { type ListView, readListView, ServiceTable } from './serviceTable.tsx'

const FEED_DAYS = 30
const SHOWN_INCIDENTS = 5
const SHOWN_CHANGES = 6
/** The most records that the plots count: the contract's own maximum. */
const COUNTED = OPERATIONS.incidents.query.limit.max

type DashboardView = {
  readonly services: readonly Profile[]
  readonly status: Omit<StatusFeed, 'dataset'>
  readonly incidents: readonly Incident[]
  readonly changes: readonly Change[]
  readonly query: string | undefined
  readonly answer: SearchAnswer | undefined
  readonly list: ListView
  readonly now: Time
}

/** The dashboard, or an index of the service and of the services it knows for clients that ask for JSON. */
export function createDashboardPage(deps: PageDeps): Page {
  const listServices = createServiceList(deps)
  return {
    path: '/',
    handler: async ({ search, accepts }) => {
      const { services, status, now } = await listServices()
      if (accepts === 'json') return answerJson(describeIndex(services, deps))
      const query = readParameter(search, 'q')
      const since = now - FEED_DAYS * DAY
      const [incidents, changes] = await Promise.all([
        deps.store.incidents({ since, limit: COUNTED }),
        deps.store.changes({ since, limit: COUNTED }),
      ])
      const view: DashboardView = {
        services,
        status,
        incidents: incidents.records,
        changes: changes.records,
        query,
        answer: query === undefined ? undefined : findAnswer(query, services, deps),
        list: readListView(readParameter(search, 'verdict'), readParameter(search, 'page')),
        now,
      }
      return answerHtml(<Dashboard view={view} deps={deps} />)
    },
  }
}

function Dashboard({ view, deps }: { view: DashboardView; deps: PageDeps }) {
  const { services, status, incidents, changes, query, answer, list, now } = view
  return (
    <Layout
      title="Touchstone: is this x402 endpoint safe to pay?"
      description="Independent, measured verdicts on x402 endpoints, before an agent pays them."
      path="/"
      publicUrl={deps.publicUrl}
      section="/"
      hasOwnSearch
      feeds={[
        { href: FEED_PATHS.incidents.rss, type: FEED_TYPES.rss, title: 'Incidents' },
        { href: FEED_PATHS.changes.rss, type: FEED_TYPES.rss, title: 'Changes' },
      ]}
    >
      <div class="ask">
        <div>
          <h1>Is this endpoint safe to pay?</h1>
          <p>
            Touchstone calls x402 endpoints the way an agent would, reads their receivers on chain, and says
            what speaks against paying, with the evidence.
          </p>
          <Search query={query ?? ''} isLarge />
        </div>
        <Overview services={services} status={status}>
          <CrawlLine crawl={deps.crawl?.()} now={now} />
        </Overview>
      </div>
      {answer !== undefined && query !== undefined && (
        <AnswerPanel answer={answer} query={query} deps={deps} />
      )}
      <div class="columns">
        <div class="stack">
          <ServiceTable services={services} view={list} />
          <section class="panel" aria-labelledby="incidents">
            <div class="head">
              <h2 id="incidents">Latest incidents</h2>
              <a href="/incidents">All incidents</a>
            </div>
            {incidents.length === 0 && <p class="empty">None in the last {FEED_DAYS} days.</p>}
            <IncidentList items={incidents.slice(0, SHOWN_INCIDENTS)} now={now} showHost />
          </section>
        </div>
        <div class="stack">
          <Trend view={view} />
          <Directories audit={status.catalogAudit} />
          <section class="panel" aria-labelledby="changes">
            <div class="head">
              <h2 id="changes">Latest changes</h2>
              <a href="/changes">All changes</a>
            </div>
            {changes.length === 0 && <p class="empty">None in the last {FEED_DAYS} days.</p>}
            <ChangeList items={changes.slice(0, SHOWN_CHANGES)} now={now} showHost />
          </section>
        </div>
      </div>
    </Layout>
  )
}

function Trend({ view: { incidents, changes, now } }: { view: DashboardView }) {
  const incidentBars = countDays(
    incidents.map(({ detectedAt }) => detectedAt),
    FEED_DAYS,
    now,
  )
  const changeBars = countDays(
    changes.map(({ at }) => at),
    FEED_DAYS,
    now,
  )
  return (
    <section class="panel" aria-labelledby="trend">
      <h2 id="trend">The last {FEED_DAYS} days</h2>
      <figure>
        <figcaption class="small">Incidents a day</figcaption>
        <DayBars bars={incidentBars} what="Incidents" isBad />
      </figure>
      <figure>
        <figcaption class="small">Changes a day</figcaption>
        <DayBars bars={changeBars} what="Changes" />
      </figure>
      <details>
        <summary>The same as a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col" class="end">
                Incidents
              </th>
              <th scope="col" class="end">
                Changes
              </th>
            </tr>
          </thead>
          <tbody>
            {incidentBars.toReversed().map(({ date, count }, index) => (
              <tr>
                <th scope="row">{date}</th>
                <td class="end">{count}</td>
                <td class="end">{changeBars.at(-1 - index)?.count ?? 0}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}
