import { OPERATIONS, type Report } from '@touchstone402/shared'
import type { Page } from '../../http/deps.ts'
import type { SkipCounts } from '../../ports/directory.ts'
import { answerHtml } from '../answerHtml.tsx'
import { Layout } from '../components/layout.tsx'
import { LinePlot } from '../components/linePlot.tsx'
import { Panel } from '../components/panel.tsx'
import { formatCount } from '../components/plots.tsx'
import { type Column, Table } from '../components/table.tsx'
import { Directories } from '../dashboard/overview.tsx'
import { SkippedRows } from '../dashboard/skippedRows.tsx'
import { formatDate, formatUsd, plural } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'

const SHOWN_DAYS = 365
const TABLE_DAYS = 60

type Plot = {
  readonly name: string
  readonly measure: (report: Report) => number | null
  readonly format?: (value: number) => string
}

const PLOTS: readonly Plot[] = [
  { name: 'Live endpoints', measure: ({ live }) => live },
  { name: 'Safe to pay', measure: ({ byVerdict }) => byVerdict.safe },
  { name: 'Dark share', measure: ({ deadPct }) => deadPct, format: (value) => `${value}%` },
  { name: 'Median price per call', measure: ({ medianPriceUsd }) => medianPriceUsd, format: formatUsd },
  { name: 'Open incidents', measure: ({ incidentsOpen }) => incidentsOpen },
  { name: 'Tracked endpoints', measure: ({ tracked }) => tracked },
  { name: 'Low risk', measure: ({ riskByLevel }) => riskByLevel.low },
  { name: 'Medium risk', measure: ({ riskByLevel }) => riskByLevel.medium },
  { name: 'High risk', measure: ({ riskByLevel }) => riskByLevel.high },
]

/** Creates the page of daily reports on the ecosystem. */
export function createReportsPage({ store, publicUrl, crawl }: PageDeps): Page {
  return {
    path: '/reports',
    handler: async () => {
      const reports = (await store.reports()).slice(-SHOWN_DAYS)
      return answerHtml(<Reports reports={reports} publicUrl={publicUrl} skipped={crawl?.().skipped} />)
    },
  }
}

type ReportsProps = { readonly reports: readonly Report[] }

function Reports({
  reports,
  publicUrl,
  skipped,
}: ReportsProps & { publicUrl: string; skipped: SkipCounts | undefined }) {
  const latest = reports.at(-1)
  return (
    <Layout
      title="The state of the x402 ecosystem"
      description={latest?.summary ?? 'Daily reports on the x402 endpoints that Touchstone measures.'}
      path="/reports"
      publicUrl={publicUrl}
    >
      <h1>State of the ecosystem</h1>
      {latest === undefined ? (
        <p class="lede">The first report appears after the first full day of measurements.</p>
      ) : (
        <>
          <p class="lede">
            {latest.summary} As of <time dateTime={latest.asOf}>{formatDate(Date.parse(latest.asOf))}</time>;{' '}
            {plural(reports.length, 'day')} <a href={OPERATIONS.reports.path}>as data</a>.
          </p>
          <div class="stack">
            <Panel id="series" title="Day by day">
              <div class="plots">
                {PLOTS.map((plot) => (
                  <PlotFigure plot={plot} reports={reports} />
                ))}
              </div>
              <SeriesTable reports={reports} />
            </Panel>
            <Directories audit={latest.directories} />
          </div>
        </>
      )}
      <div class="stack">
        <SkippedRows skipped={skipped} />
      </div>
    </Layout>
  )
}

function PlotFigure({ plot, reports }: ReportsProps & { plot: Plot }) {
  const { name, measure, format = formatCount } = plot
  const points = reports.flatMap((report) => {
    const value = measure(report)
    return value === null ? [] : [{ at: Date.parse(report.date), value }]
  })
  const describe = (point = points[0]) => point && `${formatDate(point.at)} (${format(point.value)})`
  return (
    <figure>
      <h3>{name}</h3>
      {points.length < 2 ? (
        <p class="empty">Needs two days of reports.</p>
      ) : (
        <LinePlot
          points={points}
          title={`${name} from ${describe()} to ${describe(points.at(-1))}`}
          format={format}
        />
      )}
    </figure>
  )
}

function SeriesTable({ reports }: ReportsProps) {
  const columns: Column<Report>[] = PLOTS.map(({ name, measure, format = formatCount }) => ({
    name,
    isEnd: true,
    cell: (report) => {
      const value = measure(report)
      return value === null ? '–' : format(value)
    },
  }))
  return (
    <Table
      isFolded
      scroll="Table of daily reports"
      caption={`The last ${plural(Math.min(TABLE_DAYS, reports.length), 'day')}`}
      rows={reports.slice(-TABLE_DAYS).toReversed()}
      columns={[{ name: 'Day', cell: ({ date }) => date }, ...columns]}
    />
  )
}
