import { OPERATIONS, type Report, VERDICT_LABELS, type VerdictCode } from '@touchstone402/shared'
import { area } from 'd3-shape'
import { DAY } from '../domain/facts/times.ts'
import type { Page } from '../http/deps.ts'
import { answerHtml } from './answerHtml.tsx'
import { Layout } from './components/layout.tsx'
import { Panel } from './components/panel.tsx'
import { createScales, formatCount, LinePlot, PlotFrame, round } from './components/plots.tsx'
import { Moment } from './components/prose.tsx'
import { Table } from './components/table.tsx'
import { formatDate, formatUsd, plural } from './format.ts'
import type { PageDeps } from './pageDeps.ts'

const SHOWN_DAYS = 90
const TABLE_DAYS = 30
/** From the bottom up: what is bad stands on the axis, where it can be compared. */
const STACKED: readonly VerdictCode[] = ['avoid', 'caution', 'unknown', 'safe']

type ReportsProps = { readonly reports: readonly Report[] }

/** Creates `/reports`: three sentences and three plots of the figures of `/reports.json`. */
export function createReportsPage({ store, publicUrl, operator }: PageDeps): Page {
  return {
    path: '/reports',
    handler: async () =>
      answerHtml(
        <Reports
          reports={(await store.reports()).slice(-SHOWN_DAYS)}
          publicUrl={publicUrl}
          operator={operator}
        />,
      ),
  }
}

function Reports({ reports, publicUrl, operator }: ReportsProps & Pick<PageDeps, 'publicUrl' | 'operator'>) {
  const report = reports.at(-1)
  const sentences =
    report === undefined
      ? ['The first report appears after the first full day of measurements.']
      : describeFindings(report, reports.at(-2))
  return (
    <Layout
      title="The state of the x402 ecosystem"
      description={sentences.join(' ')}
      path="/reports"
      publicUrl={publicUrl}
      operator={operator}
    >
      <h1>State of the ecosystem</h1>
      <div class="says-so">
        {sentences.map((sentence) => (
          <p>{sentence}</p>
        ))}
      </div>
      {report !== undefined && (
        <Panel
          id="series"
          title={describeTrend(reports)}
          extra={
            <span class="muted small">
              As of <Moment at={report.asOf} />. <a href={OPERATIONS.reports.path}>As data</a>
            </span>
          }
        >
          <div class="plots">
            <VerdictPlot reports={reports} />
            <Series
              reports={reports}
              name="Dark share of endpoints"
              measure={({ deadPct }) => deadPct}
              format={(value) => `${value}%`}
            />
            <Series
              reports={reports}
              name="Median price per call"
              measure={({ medianPriceUsd }) => medianPriceUsd}
              format={formatUsd}
            />
          </div>
          <Days reports={reports.slice(-TABLE_DAYS).toReversed()} />
        </Panel>
      )}
    </Layout>
  )
}

/**
 * States what a report found, in three sentences made of its figures: bad news first.
 * @param before the report before it. @default nothing is compared
 */
export function describeFindings(report: Report, before: Report | undefined): string[] {
  const { tracked, live, dead, deadPct, byVerdict, incidentsOpen, incidentsNew, changes } = report
  const count = byVerdict.avoid === 0 ? 'None' : byVerdict.avoid.toLocaleString('en-US')
  const avoided =
    tracked === 0
      ? 'No endpoint is tracked yet.'
      : `${count} of ${plural(tracked, 'endpoint')} should be avoided${compare('avoid', report, before)}.`
  const incidents =
    incidentsOpen + incidentsNew === 0
      ? 'No incident is open'
      : `${plural(incidentsOpen, 'incident is', 'incidents are')} open and ${incidentsNew} new`
  const swaps = changes.payto_swap > 0 ? `, ${plural(changes.payto_swap, 'receiver')} changed` : ''
  const dark =
    dead === 0 ? 'no endpoint is dark' : `${plural(dead, 'endpoint is', 'endpoints are')} dark (${deadPct}%)`
  const trouble = `${incidents}${swaps}, and ${dark}.`
  const hasTrouble = incidentsOpen + incidentsNew + dead > 0
  const bad = byVerdict.avoid === 0 && hasTrouble ? [trouble, avoided] : [avoided, trouble]
  const share = tracked === 0 ? 0 : Math.round((100 * byVerdict.safe) / tracked)
  const price =
    report.medianPriceUsd === null ? '' : `; the median price is ${formatUsd(report.medianPriceUsd)} per call`
  const safe = `${plural(live, 'endpoint is', 'endpoints are')} live and ${byVerdict.safe} safe to pay (${share}%)`
  return [...bad, `${safe}${compare('safe', report, before)}${price}.`]
}

/** Compares a count with that of an earlier report: `, 3 more than on 20 Nov 2026`. */
function compare(verdict: VerdictCode, report: Report, before: Report | undefined): string {
  if (before === undefined) return ''
  const more = report.byVerdict[verdict] - before.byVerdict[verdict]
  const day = formatDate(Date.parse(before.date))
  if (more === 0) return `, as many as on ${day}`
  return `, ${Math.abs(more).toLocaleString('en-US')} ${more > 0 ? 'more' : 'fewer'} than on ${day}`
}

/** States how the verdicts moved over a series of reports, oldest first; bad news first. */
export function describeTrend(reports: readonly Report[]): string {
  const [first] = reports
  const last = reports.at(-1)
  if (first === undefined || last === undefined || first === last) return 'Verdicts by day'
  const day = formatDate(Date.parse(first.date))
  const move = (verdict: 'avoid' | 'safe', name: string) => {
    const [from, to] = [first.byVerdict[verdict], last.byVerdict[verdict]]
    return {
      by: to - from,
      text: `${name} ${to > from ? 'rose' : 'fell'} from ${from} to ${to} since ${day}`,
    }
  }
  const avoid = move('avoid', 'Endpoints to avoid')
  const safe = move('safe', 'Endpoints safe to pay')
  if (avoid.by > 0) return avoid.text
  if (safe.by !== 0) return safe.text
  if (avoid.by < 0) return avoid.text
  return `As many endpoints are safe to pay as on ${day}: ${last.byVerdict.safe}`
}

/** A day's begin or end on the plot of verdicts; null between days without a report. */
type Edge = { readonly report: Report; readonly at: number } | null

/** Verdicts on all endpoints by day, stacked. Days without a report are gaps. */
function VerdictPlot({ reports }: ReportsProps) {
  const edges = reports.flatMap((report, index): Edge[] => {
    const at = Date.parse(report.date)
    const isGap = at - Date.parse(reports[index - 1]?.date ?? report.date) > DAY
    return [...(isGap ? [null] : []), { report, at }, { report, at: at + DAY }]
  })
  const heightBelow = (edge: Edge, place: number) =>
    STACKED.slice(0, place).reduce((sum, verdict) => sum + (edge?.report.byVerdict[verdict] ?? 0), 0)
  const most = Math.max(...edges.map((edge) => heightBelow(edge, STACKED.length)))
  const scales = createScales(edges[0]?.at ?? 0, edges.at(-1)?.at ?? 0, most)
  const draw = (place: number) =>
    area<Edge>()
      .defined((edge) => edge !== null)
      .x((edge) => round(scales.x(edge?.at ?? 0)))
      .y0((edge) => round(scales.y(heightBelow(edge, place))))
      .y1((edge) => round(scales.y(heightBelow(edge, place + 1))))(edges) ?? ''
  return (
    <figure>
      <h3>Endpoints by verdict</h3>
      <PlotFrame
        {...scales}
        title={`Endpoints by verdict and day. ${describeTrend(reports)}.`}
        format={formatCount}
      >
        {STACKED.map((verdict, place) => (
          <path class={`p-verdict v-${verdict}`} d={draw(place)} />
        ))}
      </PlotFrame>
      <ul class="legend">
        {STACKED.toReversed().map((verdict) => (
          <li class={`v-${verdict}`}>
            <span class="swatch" />
            {VERDICT_LABELS[verdict]}
          </li>
        ))}
      </ul>
    </figure>
  )
}

type SeriesProps = ReportsProps & {
  readonly name: string
  readonly measure: (report: Report) => number | null
  readonly format: (value: number) => string
}

function Series({ reports, name, measure, format }: SeriesProps) {
  const points = reports.flatMap((report) => {
    const value = measure(report)
    return value === null ? [] : [{ at: Date.parse(report.date), value }]
  })
  const describe = (point = points[0]) => point && `${formatDate(point.at)} (${format(point.value)})`
  const title = `${name} from ${describe()} to ${describe(points.at(-1))}`
  return (
    <figure>
      <h3>{name}</h3>
      {points.length < 2 ? (
        <p class="empty">Needs two days of reports.</p>
      ) : (
        <LinePlot points={points} title={title} format={format} />
      )}
    </figure>
  )
}

function Days({ reports }: ReportsProps) {
  return (
    <Table
      isFolded
      scroll="Table of daily reports"
      caption={`The last ${plural(reports.length, 'day')}`}
      rows={reports}
      columns={[
        { name: 'Day', cell: ({ date }) => date },
        ...STACKED.toReversed().map((verdict) => ({
          name: VERDICT_LABELS[verdict],
          isEnd: true,
          cell: ({ byVerdict }: Report) => byVerdict[verdict],
        })),
        { name: 'Dark', isEnd: true, cell: ({ deadPct }) => `${deadPct}%` },
        { name: 'Median price', isEnd: true, cell: ({ medianPriceUsd }) => formatUsd(medianPriceUsd) },
        { name: 'Open incidents', isEnd: true, cell: ({ incidentsOpen }) => incidentsOpen },
      ]}
    />
  )
}
