import { INTERFACE_VERSION } from '@touchstone402/shared'
import type { VNode } from 'preact'
import { MINUTE } from '../../facts/times.ts'
import type { Page, PageAnswer } from '../../http/deps.ts'
import { DESCRIPTION } from '../../http/openapi.ts'
import { admit, createLimiter } from '../../http/rateLimit.ts'
import { SCORE_VERSION } from '../../judge/spec.ts'
import { describeProfile } from '../../publish/profile.ts'
import type { Tally } from '../../publish/tally.ts'
import { profileUrl } from '../../publish/verdict.ts'
import { type Kept, keepMade } from '../../readModel/keepMade.ts'
import { readTally } from '../../readModel/readTally.ts'
import { readIncidents } from '../../store/feeds.ts'
import { listSummaries } from '../../store/listHosts.ts'
import { answerHtml, answerJson, answerSeeOther } from '../answerHtml.tsx'
import { Layout, Search } from '../components/layout.tsx'
import { listOperations } from '../operations.ts'
import type { PageDeps } from '../pageDeps.ts'
import { TOKENS_PATH } from '../paths.ts'
import { readParameter } from '../readParameter.ts'
import { answerQuery } from './answer.tsx'
import { Directories } from './directories.tsx'
import { type ListView, readListView, readServicePage, Services, viewUrl } from './services.tsx'
import { readTrend, Today, type Trend } from './today.tsx'
import { readWeek, type WeekEvent } from './week.ts'
import { WeekPanel } from './weekPanel.tsx'

// A running crawl changes the services continuously, and describing hundreds of them is expensive.
const REST_MS = 5_000
/** Maximum number of services in the JSON index. */
const MAX_INDEXED = 500
/** A choice of a flag reads up to a thousand services. */
const SCANS_PER_CLIENT = { points: 60, windowSeconds: 60 }

/** Views of the list that are kept. */
const KEPT_VIEWS = 100

/** Creates the home page. Clients that ask for JSON get an index of the operations and services. */
export function createHomePage(deps: PageDeps): Page {
  const { store, readModel, clock } = deps
  const keep = <T,>(make: () => Promise<T>, restMs = REST_MS) => keepMade({ readModel, clock, make, restMs })
  const tally = keep(() => readTally(store, clock.now()))
  const index = keep(async () => answerJson(await describeIndex(deps, (await tally.get()).hosts)))
  // Thousands of changes are read for it.
  const week = keep(() => readWeek(store, clock.now()), MINUTE)
  // Reports come once a day.
  const trend = keep(() => readTrend(deps, clock.now()), MINUTE)
  const scanning = createLimiter(SCANS_PER_CLIENT)
  const make = async (view: ListView, query = '', answer: VNode | null = null) => {
    const made = await Promise.all([tally.get(), week.get(), trend.get()])
    const props = await loadHome(deps, made, view)
    return answerHtml(<Home {...deps} {...props} query={query} answer={answer} />)
  }
  const views = new Map<string, Kept<PageAnswer>>()
  const viewOf = (view: ListView) => {
    const key = viewUrl(view, {})
    const kept = views.get(key) ?? keep(() => make(view))
    // In order of last use.
    views.delete(key)
    views.set(key, kept)
    const [oldest = key] = views.keys()
    if (views.size > KEPT_VIEWS) views.delete(oldest)
    return kept
  }
  return {
    path: '/',
    handler: async ({ accepts, search, client }) => {
      if (accepts === 'json') return index.get()
      const query = readParameter(search, 'q') ?? ''
      const answer = query.trim() === '' ? null : await answerQuery(query, deps)
      if (typeof answer === 'string') return answerSeeOther(answer)
      const view = readListView(search)
      const kept = viewOf(view)
      if (view.flag !== undefined && kept.peek() === undefined) admit(scanning, client)
      return query === '' ? kept.get() : make(view, query, answer)
    },
  }
}

/** Builds the JSON index: the operations with their prices, and the best services with their verdicts. */
async function describeIndex({ store, clock, config }: PageDeps, hosts: number) {
  const { publicUrl } = config
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
    operations: listOperations({ config }).map(({ id, path, priceUsd, summary }) => {
      return { id, method: 'GET', url: publicUrl + path, priceUsd: priceUsd ?? 0, summary }
    }),
    services,
    count: services.length,
    total,
    truncated: services.length < total,
  }
}

type Made = readonly [Tally, readonly WeekEvent[], Trend | undefined]

async function loadHome(
  { store, clock }: PageDeps,
  [tally, week, trend]: Made,
  view: ReturnType<typeof readListView>,
) {
  const now = clock.now()
  const matching = view.verdict === undefined ? tally.hosts : (tally.hostVerdicts[view.verdict] ?? 0)
  const [incidents, list] = await Promise.all([
    readIncidents(store, { since: 0, limit: 0, open: true }),
    readServicePage({ store }, matching, view, now),
  ])
  return { now, tally, week, trend, open: incidents.total, list }
}

type HomeProps = PageDeps &
  Awaited<ReturnType<typeof loadHome>> & { readonly query: string; readonly answer: VNode | null }

/** How safe services are, how right directories are, what changed for the worse, the box, and the list. */
function Home({ now, tally, trend, week, open, list, query, answer, crawl, ...site }: HomeProps) {
  const box = (
    <section class="ask" aria-labelledby="ask">
      <h2 id="ask">Is this endpoint safe to pay?</h2>
      <Search query={query} isLarge />
      {answer}
    </section>
  )
  return (
    <Layout
      {...site}
      title="Touchstone: is this x402 endpoint safe to pay?"
      description="Independent, measured verdicts on x402 endpoints, before an agent pays them."
      path="/"
      hasOwnSearch
    >
      <h1>Which x402 services are safe to pay?</h1>
      <p class="lede">
        AI agents pay for API calls with x402. We test every listed endpoint, publish what is wrong with it,
        with evidence, and give you <a href="/docs">a library that refuses bad payments</a>. We also sell{' '}
        <a href={TOKENS_PATH}>token analytics for Base</a>.
      </p>
      <div class="stack">
        {answer !== null && box}
        <Today now={now} tally={tally} trend={trend} crawl={crawl()} />
        <div class="halves">
          <Directories tally={tally} />
          <WeekPanel events={week} open={open} />
        </div>
        {answer === null && box}
        <Services {...list} tally={tally} />
      </div>
    </Layout>
  )
}
