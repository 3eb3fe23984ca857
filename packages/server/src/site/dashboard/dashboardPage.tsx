import { OPERATIONS } from '@touchstone402/shared'
import { DAY } from '../../domain/facts/times.ts'
import type { Page, PageRequest } from '../../http/deps.ts'
import { admit, createLimiter } from '../../http/rateLimit.ts'
import { keepMade } from '../../readModel/keepMade.ts'
import { answerHtml, answerJson } from '../answerHtml.tsx'
import { Layout, Search } from '../components/layout.tsx'
import type { PageDeps } from '../pageDeps.ts'
import { FEED_PATHS, SUBMISSIONS_PATH } from '../paths.ts'
import { readParameter } from '../readParameter.ts'
import { ScanForm } from '../scans/scanForm.tsx'
import { AnswerPanel } from './answerPanel.tsx'
import { CrawlLine } from './crawlLine.tsx'
import { findAnswer } from './findAnswer.ts'
import { Happened } from './happened.tsx'
import { isByPrice, isFiltered, type ListView, readListView } from './listView.ts'
import { Directories, Overview } from './overview.tsx'
import { createOverviewReader, type OverviewFacts } from './readOverview.ts'
import { readServicePage, readServices } from './readServices.ts'
import { describeIndex, MAX_INDEXED } from './serviceIndex.ts'
import { ServiceTable } from './serviceTable.tsx'

const FEED_DAYS = 30
// A running crawl changes the services continuously, and describing hundreds of them is expensive.
const REST_MS = 5_000
/** A filter, or the order of prices, reads up to a thousand services. */
const FILTERS_PER_CLIENT = { points: 60, windowSeconds: 60 }
/** Maximum number of records that the plots count, which is the contract's limit. */
const COUNTED = OPERATIONS.incidents.query.limit.max

/** Creates the dashboard at `/`. Clients that ask for JSON get an index of the operations and services. */
export function createDashboardPage(deps: PageDeps): Page {
  const { readModel, clock } = deps
  const readOverview = createOverviewReader(deps)
  const filtering = createLimiter(FILTERS_PER_CLIENT)
  const makeIndex = async () => {
    const services = await readServices(deps.store, clock.now(), { limit: MAX_INDEXED })
    const { hosts } = await readOverview()
    return describeIndex(services, Math.max(hosts, services.length), deps)
  }
  const index = keepMade({ readModel, clock, make: makeIndex, restMs: REST_MS })
  return {
    path: '/',
    hasJson: true,
    handler: async (request) => {
      if (request.accepts === 'json') return answerJson(await index.get())
      const view = readListView(request.search)
      if (isFiltered(view) || isByPrice(view)) admit(filtering, request.client)
      return answerHtml(<Dashboard {...(await loadView(deps, await readOverview(), view, request))} />)
    },
  }
}

async function loadView(
  deps: PageDeps,
  overview: OverviewFacts,
  view: ListView,
  { search }: Pick<PageRequest, 'search'>,
) {
  const now = deps.clock.now()
  const since = now - FEED_DAYS * DAY
  const [incidents, changes] = await Promise.all([
    deps.store.incidents({ since, limit: COUNTED }),
    deps.store.changes({ since, limit: COUNTED }),
  ])
  const query = readParameter(search, 'q')
  return {
    overview,
    now,
    deps,
    incidents: incidents.records,
    changes: changes.records,
    query,
    answer: query === undefined ? undefined : await findAnswer(query, deps),
    list: await readServicePage(deps, overview, view, now),
  }
}

type DashboardProps = Awaited<ReturnType<typeof loadView>>

function Dashboard(props: DashboardProps) {
  const { overview, incidents, changes, query = '', answer, list, now, deps } = props
  return (
    <Layout
      title="Touchstone: is this x402 endpoint safe to pay?"
      description="Independent, measured verdicts on x402 endpoints, before an agent pays them."
      path="/"
      publicUrl={deps.publicUrl}
      hasOwnSearch={deps.scans === undefined}
      feeds={[
        { href: FEED_PATHS.incidents, title: 'Incidents' },
        { href: FEED_PATHS.changes, title: 'Changes' },
      ]}
    >
      {answer !== undefined && <AnswerPanel answer={answer} query={query} deps={deps} />}
      <div class="ask">
        <div>
          <h1>Is this endpoint safe to pay?</h1>
          <p>
            With <a href="/methodology">x402</a> an agent pays for a web request: the server names a price and
            a receiver, the agent signs. Touchstone probes such endpoints the way an agent would, checks their
            receivers on chain, and reports every reason not to pay, with evidence.
          </p>
          {deps.scans === undefined ? <Search query={query} isLarge /> : <ScanForm />}
          <p class="install">
            <code>npm install @touchstone402/guard</code>
            <span class="small muted">
              and your agent pays only what was checked. <a href="/docs">How</a>
            </span>
          </p>
          {deps.lookSubmitted !== undefined && (
            <p class="small muted">
              You sell an endpoint? <a href={SUBMISSIONS_PATH}>Submit it</a> for its first probe.
            </p>
          )}
        </div>
        <Overview {...overview}>
          <CrawlLine crawl={deps.crawl?.()} now={now} />
        </Overview>
      </div>
      <div class="columns">
        <Happened incidents={incidents} changes={changes} days={FEED_DAYS} now={now} />
        <div class="stack">
          <Directories audit={overview.status.catalogAudit} />
        </div>
      </div>
      <div class="stack below">
        <ServiceTable {...list} overview={overview} now={now} />
      </div>
    </Layout>
  )
}
