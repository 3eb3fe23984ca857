import { type Change, type Incident, OPERATIONS, parseQuery } from '@touchstone402/shared'
import type { ComponentChildren } from 'preact'
import { dayOf } from '../../domain/facts/dailyMeasurements.ts'
import type { Time } from '../../domain/facts/facts.ts'
import { DAY } from '../../domain/facts/times.ts'
import type { Page } from '../../http/deps.ts'
import { badQuery } from '../../http/free/freeRoute.ts'
import { answerHtml } from '../answerHtml.tsx'
import { CHANGE_NAMES, ChangeList, INCIDENT_NAMES, IncidentList } from '../components/incidentList.tsx'
import { Layout } from '../components/layout.tsx'
import { type DayBar, DayBars } from '../components/plots.tsx'
import { FEED_PATHS } from '../feeds/createFeedPages.ts'
import { FEED_TYPES } from '../feeds/writeFeed.ts'
import type { PageDeps } from '../pageDeps.ts'
import { plural } from '../text.ts'

const STRETCHES = [7, 30, 90, 365]
const SHOWN = 60
/** The most records that a plot counts: the contract's own maximum. */
const COUNTED = OPERATIONS.incidents.query.limit.max

/** The lists of incidents and of changes. */
export function createListPages(deps: PageDeps): Page[] {
  const { store, clock } = deps
  return [
    {
      path: '/incidents',
      handler: async ({ search }) => {
        const { days, since, now } = readStretch('incidents', search, clock.now())
        const { records, total } = await store.incidents({ since, limit: COUNTED })
        const bars = countDays(
          records.map(({ detectedAt }) => detectedAt),
          days,
          now,
        )
        return answerHtml(
          <ListPage
            deps={deps}
            about="incidents"
            lede="What was measured at an endpoint and speaks against paying it, each with its proof on chain. An incident is resolved when the measurement no longer holds."
            days={days}
            total={total}
            bars={bars}
            kinds={countKinds(records, INCIDENT_NAMES)}
          >
            <IncidentList items={records.slice(0, SHOWN)} now={now} showHost />
          </ListPage>,
        )
      },
    },
    {
      path: '/changes',
      handler: async ({ search }) => {
        const { days, since, now } = readStretch('changes', search, clock.now())
        const { records, total } = await store.changes({ since, limit: COUNTED })
        const bars = countDays(
          records.map(({ at }) => at),
          days,
          now,
        )
        return answerHtml(
          <ListPage
            deps={deps}
            about="changes"
            lede="What became different: services that stopped answering or answer again, other receivers, higher prices, new services. A change is confirmed by a second look before it stands here."
            days={days}
            total={total}
            bars={bars}
            kinds={countKinds(records, CHANGE_NAMES)}
          >
            <ChangeList items={records.slice(0, SHOWN)} now={now} showHost />
          </ListPage>,
        )
      },
    },
  ]
}

function readStretch(about: 'incidents' | 'changes', search: string, now: Time) {
  const query = parseQuery(OPERATIONS[about].query, search)
  if (!query.ok) throw badQuery(query.errors)
  const { days } = query.value
  return { days, since: now - days * DAY, now }
}

/** How many records there were a day, days without any included. */
export function countDays(times: readonly string[], days: number, now: Time): DayBar[] {
  const counts = new Map<string, number>()
  for (const time of times) counts.set(time.slice(0, 10), (counts.get(time.slice(0, 10)) ?? 0) + 1)
  return Array.from({ length: days }, (_, index) => {
    const date = dayOf(now - (days - 1 - index) * DAY)
    return { date, count: counts.get(date) ?? 0 }
  })
}

type KindCount = { readonly kind: string; readonly name: string; readonly count: number }

function countKinds(
  records: readonly (Incident | Change)[],
  names: Readonly<Record<string, string>>,
): KindCount[] {
  return Object.entries(names).map(([kind, name]) => ({
    kind,
    name,
    count: records.filter((record) => record.kind === kind).length,
  }))
}

type ListPageProps = {
  readonly deps: PageDeps
  readonly about: 'incidents' | 'changes'
  readonly lede: string
  readonly days: number
  readonly total: number
  readonly bars: readonly DayBar[]
  readonly kinds: readonly KindCount[]
  readonly children: ComponentChildren
}

function ListPage({ deps, about, lede, days, total, bars, kinds, children }: ListPageProps) {
  const name = about === 'incidents' ? 'Incidents' : 'Changes'
  const { rss, json } = FEED_PATHS[about]
  return (
    <Layout
      title={`${name} at x402 endpoints`}
      description={lede}
      path={`/${about}`}
      publicUrl={deps.publicUrl}
      section={`/${about}`}
      feeds={[
        { href: rss, type: FEED_TYPES.rss, title: name },
        { href: json, type: FEED_TYPES.json, title: name },
      ]}
    >
      <div class="head">
        <h1>{name}</h1>
        <nav class="filters" aria-label="Stretch of time">
          {STRETCHES.map((stretch) => (
            <a
              href={`/${about}?days=${stretch}`}
              {...(stretch === days && { 'aria-current': 'true' as const })}
            >
              {stretch} days
            </a>
          ))}
        </nav>
      </div>
      <p class="lede">{lede}</p>
      <div class="columns">
        <section class="panel" aria-label={name}>
          {total === 0 && <p class="empty">None in the last {plural(days, 'day')}.</p>}
          {children}
          {total > SHOWN && (
            <p class="muted small">
              The newest {SHOWN} of {total} are shown; <a href={OPERATIONS[about].path}>the data</a> has more.
            </p>
          )}
        </section>
        <div class="stack">
          <section class="panel" aria-labelledby="per-day">
            <h2 id="per-day">A day</h2>
            <DayBars bars={bars} what={name} isBad={about === 'incidents'} />
          </section>
          <section class="panel" aria-labelledby="kinds">
            <h2 id="kinds">By kind</h2>
            <table>
              <tbody>
                {kinds.map(({ kind, name: words, count }) => (
                  <tr>
                    <th scope="row">
                      {words} <code class="muted small">{kind}</code>
                    </th>
                    <td class="end">{count}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
          <section class="panel aside" aria-labelledby="feeds">
            <h2 id="feeds">Follow</h2>
            <p>
              <a href={rss}>RSS</a>, <a href={json}>JSON Feed</a>, or{' '}
              <a href={OPERATIONS[about].path}>plain data</a>. Each service has feeds of its own.
            </p>
          </section>
        </div>
      </div>
    </Layout>
  )
}
