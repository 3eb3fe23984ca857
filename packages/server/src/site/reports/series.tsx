import type { Report } from '@touchstone402/shared'
import { LinePlot } from '../components/linePlot.tsx'
import { formatCount } from '../components/plots.tsx'
import { type Column, Table } from '../components/table.tsx'
import { formatDate, formatUsd, plural } from '../format.ts'
import { reportPath } from '../paths.ts'

const TABLE_DAYS = 60

type ReportsProps = { readonly reports: readonly Report[] }

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

/** Each figure of the reports over time, and the last of them as a table. */
export function Series({ reports }: ReportsProps) {
  return (
    <>
      <div class="plots">
        {PLOTS.map((plot) => (
          <PlotFigure plot={plot} reports={reports} />
        ))}
      </div>
      <SeriesTable reports={reports} />
    </>
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
      columns={[{ name: 'Day', cell: ({ date }) => <a href={reportPath(date)}>{date}</a> }, ...columns]}
    />
  )
}
