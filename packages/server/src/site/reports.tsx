import { OPERATIONS, type Report, type VerdictCode } from '@touchstone402/shared'
import type { Page } from '../http/deps.ts'
import { answerHtml } from './answerHtml.tsx'
import { Layout } from './components/layout.tsx'
import { Panel } from './components/panel.tsx'
import { formatCount, LinePlot } from './components/plots.tsx'
import { Moment } from './components/prose.tsx'
import { formatDate, formatUsd, plural } from './format.ts'
import type { PageDeps } from './pageDeps.ts'

const SHOWN_DAYS = 90

type ReportsProps = Pick<PageDeps, 'publicUrl' | 'operator'> & {
  /** Oldest first. */
  readonly reports: readonly Report[]
}

/** Creates `/reports`: three sentences and three plots of the figures of `/reports.json`. */
export function createReportsPage({ store, publicUrl, operator }: PageDeps): Page {
  return {
    path: '/reports',
    handler: async () => {
      const reports = (await store.reports()).slice(-SHOWN_DAYS)
      return answerHtml(<Reports {...{ reports, publicUrl, operator }} />)
    },
  }
}

function Reports({ reports, ...site }: ReportsProps) {
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
      {...site}
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
          title={`The last ${plural(reports.length, 'day')}`}
          extra={
            <span class="muted small">
              As of <Moment at={report.asOf} />. <a href={OPERATIONS.reports.path}>As data</a>
            </span>
          }
        >
          <div class="plots">
            {PLOTS.map((plot) => (
              <Series {...plot} reports={reports} />
            ))}
          </div>
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
  const share = tracked === 0 ? 0 : Math.round((100 * byVerdict.safe) / tracked)
  const price =
    report.medianPriceUsd === null ? '' : `; the median price is ${formatUsd(report.medianPriceUsd)} per call`
  const safe = `${plural(live, 'endpoint is', 'endpoints are')} live and ${byVerdict.safe} safe to pay (${share}%)`
  return [avoided, trouble, `${safe}${compare('safe', report, before)}${price}.`]
}

/** Compares a count with that of an earlier report: `, 3 more than on 20 Nov 2026`. */
function compare(verdict: VerdictCode, report: Report, before: Report | undefined): string {
  if (before === undefined) return ''
  const more = report.byVerdict[verdict] - before.byVerdict[verdict]
  const day = formatDate(Date.parse(before.date))
  if (more === 0) return `, as many as on ${day}`
  return `, ${Math.abs(more).toLocaleString('en-US')} ${more > 0 ? 'more' : 'fewer'} than on ${day}`
}

type Plot = {
  readonly name: string
  readonly measure: (report: Report) => number | null
  readonly format: (value: number) => string
}

const PLOTS: readonly Plot[] = [
  { name: 'Endpoints to avoid', measure: ({ byVerdict }) => byVerdict.avoid, format: formatCount },
  { name: 'Dark share of endpoints', measure: ({ deadPct }) => deadPct, format: (value) => `${value}%` },
  { name: 'Median price per call', measure: ({ medianPriceUsd }) => medianPriceUsd, format: formatUsd },
]

function Series({ reports, name, measure, format }: Plot & Pick<ReportsProps, 'reports'>) {
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
