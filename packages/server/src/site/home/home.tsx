import { INTERFACE_VERSION } from '@touchstone402/shared'
import type { VNode } from 'preact'
import { DAY } from '../../facts/times.ts'
import type { Page } from '../../http/deps.ts'
import { DESCRIPTION } from '../../http/openapi.ts'
import { admit, createLimiter } from '../../http/rateLimit.ts'
import { SCORE_VERSION } from '../../judge/spec.ts'
import { describeEcosystem } from '../../publish/catalog.ts'
import { describeProfile } from '../../publish/profile.ts'
import type { Tally } from '../../publish/tally.ts'
import { profileUrl } from '../../publish/verdict.ts'
import { keepMade } from '../../readModel/keepMade.ts'
import { listSummaries } from '../../readModel/listHosts.ts'
import { readTally } from '../../readModel/readTally.ts'
import { answerHtml, answerJson, answerSeeOther } from '../answerHtml.tsx'
import { EventList } from '../components/incidentList.tsx'
import { Layout, Search } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { Moment } from '../components/prose.tsx'
import { plural } from '../format.ts'
import { listOperations } from '../operations.ts'
import type { PageDeps } from '../pageDeps.ts'
import { readParameter } from '../readParameter.ts'
import { answerQuery } from './answer.tsx'
import { readListView, readServicePage, Services } from './services.tsx'

// A running crawl changes the services continuously, and describing hundreds of them is expensive.
const REST_MS = 5_000
/** Maximum number of services in the JSON index. */
const MAX_INDEXED = 500
/** A choice of a flag reads up to a thousand services. */
const SCANS_PER_CLIENT = { points: 60, windowSeconds: 60 }
/** Open incidents and changes that are shown, of each. */
const SHOWN = 5
/** Changes that a page reads to count those of a day, which is the contract's limit. */
const MAX_CHANGES = 1_000

/** Creates the home page. Clients that ask for JSON get an index of the operations and services. */
export function createHomePage(deps: PageDeps): Page {
  const { store, readModel, clock } = deps
  const keep = <T,>(make: () => Promise<T>) => keepMade({ readModel, clock, make, restMs: REST_MS })
  const tally = keep(() => readTally(store, clock.now()))
  const index = keep(async () => describeIndex(deps, (await tally.get()).hosts))
  const scanning = createLimiter(SCANS_PER_CLIENT)
  return {
    path: '/',
    handler: async ({ accepts, search, client }) => {
      if (accepts === 'json') return answerJson(await index.get())
      const query = readParameter(search, 'q') ?? ''
      const answer = query.trim() === '' ? null : await answerQuery(query, deps)
      if (typeof answer === 'string') return answerSeeOther(answer)
      const view = readListView(search)
      if (view.flag !== undefined) admit(scanning, client)
      const props = await loadHome(deps, await tally.get(), view)
      return answerHtml(<Home {...deps} {...props} answer={answer} query={query} />)
    },
  }
}

/** Builds the JSON index: the operations with their prices, and the best services with their verdicts. */
async function describeIndex({ store, clock, publicUrl, ...deps }: PageDeps, hosts: number) {
  const now = clock.now()
  const services = []
  for await (const summary of listSummaries(store, { order: 'best', limit: MAX_INDEXED }, now)) {
    const described = describeProfile(summary, now)
    const { host, verdict, label, trustScore, overruledBy, liveness, riskLevel } = described
    const profile = profileUrl(publicUrl, host)
    services.push({ host, verdict, label, trustScore, overruledBy, liveness, riskLevel, profile })
  }
  const total = Math.max(hosts, services.length)
  return {
    service: 'Touchstone',
    description: DESCRIPTION,
    version: INTERFACE_VERSION,
    scoreVersion: SCORE_VERSION,
    openapi: `${publicUrl}/openapi.json`,
    jwks: `${publicUrl}/.well-known/jwks.json`,
    operations: listOperations(deps).map(({ id, path, priceUsd, summary }) => {
      return { id, method: 'GET', url: publicUrl + path, priceUsd: priceUsd ?? 0, summary }
    }),
    services,
    count: services.length,
    total,
    truncated: services.length < total,
  }
}

async function loadHome({ store, clock }: PageDeps, tally: Tally, view: ReturnType<typeof readListView>) {
  const now = clock.now()
  const matching = view.verdict === undefined ? tally.hosts : (tally.hostVerdicts[view.verdict] ?? 0)
  const [incidents, changes, list] = await Promise.all([
    store.incidents({ since: 0, limit: SHOWN, open: true }),
    store.changes({ since: now - DAY, limit: MAX_CHANGES }),
    readServicePage({ store }, matching, view, now),
  ])
  const worse = changes.records.filter(({ kind }) => kind !== 'new_service' && kind !== 'service_recovered')
  return { now, tally, incidents, worse, list }
}

type HomeProps = PageDeps &
  Awaited<ReturnType<typeof loadHome>> & { readonly query: string; readonly answer: VNode | null }

/** The box, what is wrong today (open incidents, and changes for the worse of the last 24 hours), and the list. */
function Home({ now, tally, incidents, worse, list, query, answer, crawl, ...site }: HomeProps) {
  const { tracked, live, dead, invalid, unmeasured } = describeEcosystem(tally.statuses)
  const failingSince = crawl().failingSince
  return (
    <Layout
      {...site}
      title="Touchstone: is this x402 endpoint safe to pay?"
      description="Independent, measured verdicts on x402 endpoints, before an agent pays them."
      path="/"
      hasOwnSearch
    >
      <div class="ask">
        <h1>Is this endpoint safe to pay?</h1>
        <Search query={query} isLarge />
        {answer}
        <p class="lede">
          With x402 an agent pays for a web request. Touchstone probes endpoints the way an agent would, reads
          their receivers on chain, and publishes every reason not to pay, with evidence. The guard, a
          library, lets an agent pay only what was checked. <a href="/docs">How to use both</a>
        </p>
      </div>
      <div class="stack">
        <Panel
          id="today"
          title={
            tally.hosts === 0
              ? 'No service measured yet'
              : `Today ${tally.hostVerdicts.avoid ?? 0} of ${plural(tally.hosts, 'service')} should be avoided`
          }
          extra={<a href="/feed">All incidents and changes</a>}
        >
          <p class="lede">
            {plural(incidents.total, 'open incident')}, {plural(worse.length, 'change')} for the worse in 24
            hours. {plural(tracked, 'endpoint')}: {live} live, {dead} dark, {invalid} invalid, {unmeasured}{' '}
            not measured.
          </p>
          {failingSince !== null && (
            <p class="small">
              Crawl failing: no probe from here measured anything since <Moment at={failingSince} now={now} />
              . Verdicts expire until probing works again.
            </p>
          )}
          <EventList events={[...incidents.records, ...worse.slice(0, SHOWN)]} now={now} showHost />
        </Panel>
        <Services {...list} tally={tally} />
      </div>
    </Layout>
  )
}
