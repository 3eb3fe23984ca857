import { OPERATIONS, type Report } from '@touchstone402/shared'
import type { Page } from '../../http/deps.ts'
import { answerHtml } from '../answerHtml.tsx'
import { Layout } from '../components/layout.tsx'
import { Scroll } from '../components/scroll.tsx'
import { SeriesPlot, type SeriesPoint } from '../components/seriesPlot.tsx'
import { Directories } from '../dashboard/overview.tsx'
import { formatDate, formatUsd } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { plural } from '../text.ts'

const SHOWN_DAYS = 365
const TABLE_DAYS = 60

type Plot = {
  readonly name: string
  readonly measure: (report: Report) => number | null
  readonly format: (value: number) => string
}

const count = (value: number) => (Number.isInteger(value) ? `${value}` : '')

const PLOTS: readonly Plot[] = [
  { name: 'Live endpoints', measure: ({ live }) => live, format: count },
  { name: 'Safe to pay', measure: ({ byVerdict }) => byVerdict.safe, format: count },
  { name: 'Dark share', measure: ({ deadPct }) => deadPct, format: (value) => `${value}%` },
  { name: 'Median price a call', measure: ({ medianPriceUsd }) => medianPriceUsd, format: formatUsd },
  { name: 'Open incidents', measure: ({ incidentsOpen }) => incidentsOpen, format: count },
  { name: 'Tracked endpoints', measure: ({ tracked }) => tracked, format: count },
  { name: 'Low risk', measure: ({ riskByLevel }) => riskByLevel.low, format: count },
  { name: 'Medium risk', measure: ({ riskByLevel }) => riskByLevel.medium, format: count },
  { name: 'High risk', measure: ({ riskByLevel }) => riskByLevel.high, format: count },
]

/** The state of the ecosystem day by day. */
export function createReportsPage({ store, publicUrl }: PageDeps): Page {
  return {
    path: '/reports',
    handler: async () => {
      const reports = (await store.reports()).slice(-SHOWN_DAYS)
      return answerHtml(<Reports reports={reports} publicUrl={publicUrl} />)
    },
  }
}

function Reports({ reports, publicUrl }: { reports: readonly Report[]; publicUrl: string }) {
  const latest = reports.at(-1)
  return (
    <Layout
      title="The state of the x402 ecosystem"
      description={latest?.summary ?? 'Daily reports on the x402 endpoints that Touchstone measures.'}
      path="/reports"
      publicUrl={publicUrl}
      section="/reports"
    >
      <h1>State of the ecosystem</h1>
      {latest === undefined ? (
        <p class="lede">The first report is made once a day of measurements is over.</p>
      ) : (
        <>
          <p class="lede">
            {latest.summary} As of <time dateTime={latest.asOf}>{formatDate(Date.parse(latest.asOf))}</time>;{' '}
            {plural(reports.length, 'day')} <a href={OPERATIONS.reports.path}>as data</a>.
          </p>
          <div class="stack">
            <section class="panel" aria-labelledby="series">
              <h2 id="series">Day by day</h2>
              <div class="plots">
                {PLOTS.map((plot) => (
                  <PlotFigure plot={plot} reports={reports} />
                ))}
              </div>
              <SeriesTable reports={reports} />
            </section>
            <Directories audit={latest.directories} />
          </div>
        </>
      )}
    </Layout>
  )
}

function PlotFigure({
  plot: { name, measure, format },
  reports,
}: {
  plot: Plot
  reports: readonly Report[]
}) {
  const points = reports.flatMap((report): SeriesPoint[] => {
    const value = measure(report)
    return value === null ? [] : [{ at: Date.parse(report.date), value }]
  })
  return (
    <figure>
      <h3>{name}</h3>
      <SeriesPlot points={points} name={name} format={format} />
      {points.length < 2 && <p class="empty">Two days make the first line.</p>}
    </figure>
  )
}

function SeriesTable({ reports }: { reports: readonly Report[] }) {
  return (
    <details>
      <summary>The same as a table</summary>
      <Scroll label="Table of daily reports">
        <table>
          <caption>The last {plural(Math.min(TABLE_DAYS, reports.length), 'day')}</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {PLOTS.map(({ name }) => (
                <th scope="col" class="end">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {reports
              .slice(-TABLE_DAYS)
              .toReversed()
              .map((report) => (
                <tr>
                  <th scope="row">{report.date}</th>
                  {PLOTS.map(({ measure, format }) => {
                    const value = measure(report)
                    return <td class="end">{value === null ? '–' : format(value)}</td>
                  })}
                </tr>
              ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  )
}
