import { OPERATIONS, type Report, type VerdictCode } from '@touchstone402/shared'
import type { Page } from '../http/deps.ts'
import { answerHtml } from './answerHtml.tsx'
import { Accuracy } from './components/accuracy.tsx'
import { Layout } from './components/layout.tsx'
import { Panel } from './components/panel.tsx'
import { LinePlot } from './components/plots.tsx'
import { Moment } from './components/prose.tsx'
import { formatDate, formatUsd, plural } from './format.ts'
import type { PageDeps } from './pageDeps.ts'

const SHOWN_DAYS = 90

/** Creates `/reports`: three sentences and three plots of the figures of `/reports.json`. */
export function createReportsPage({ store, ...deps }: PageDeps): Page {
  return {
    path: '/reports',
    handler: async () =>
      answerHtml(<Reports {...deps} reports={(await store.reports()).slice(-SHOWN_DAYS)} />),
  }
}

/** The page. @param props.reports oldest first */
function Reports({ reports, ...site }: Omit<PageDeps, 'store'> & { readonly reports: readonly Report[] }) {
  const report = reports.at(-1)
  const sentences =
    report === undefined
      ? ['The first report appears after the first full day of measurements.']
      : describeFindings(report, reports.at(-2))
  return (
    <Layout
      {...site}
      title="The state of the x402 ecosystem"
      description={sentences.join(' ')}
      path="/reports"
    >
      <h1>State of the ecosystem</h1>
      {sentences.map((sentence) => (
        <p>{sentence}</p>
      ))}
      {report !== undefined && (
        <Panel id="series" title={`The last ${plural(reports.length, 'day')}`}>
          <p class="small muted">
            As of <Moment at={report.asOf} />. <a href={OPERATIONS.reports.path}>As data</a>
          </p>
          <div class="plots">
            {PLOTS.map(({ name, measure, format }) => (
              <figure>
                <h3>{name}</h3>
                <LinePlot name={name} points={readPoints(reports, measure)} format={format} />
              </figure>
            ))}
          </div>
        </Panel>
      )}
      {report?.accuracyFigures !== undefined && <Accuracy figures={report.accuracyFigures} />}
    </Layout>
  )
}

/** Labels whole numbers only; a count has no fractions. */
const formatCount = (count: number) => (Number.isInteger(count) ? `${count}` : '')

type Measure = (report: Report) => number | null

const PLOTS: readonly { name: string; measure: Measure; format: (value: number) => string }[] = [
  { name: 'Endpoints to avoid', measure: ({ byVerdict }) => byVerdict.avoid, format: formatCount },
  { name: 'Dark share of endpoints', measure: ({ deadPct }) => deadPct, format: (value) => `${value}%` },
  { name: 'Median price per call', measure: ({ medianPriceUsd }) => medianPriceUsd, format: formatUsd },
]

/** Returns a point for each day on which a quantity was measured. */
const readPoints = (reports: readonly Report[], measure: Measure) =>
  reports.flatMap((report) => {
    const value = measure(report)
    return value === null ? [] : [{ at: Date.parse(report.date), value }]
  })

/**
 * States what a report found, in three sentences made of its figures: bad news first.
 * @param before the report before it. @default nothing is compared
 */
export function describeFindings(report: Report, before: Report | undefined): string[] {
  const { tracked, live, dead, deadPct, byVerdict, incidentsOpen, incidentsNew, changes, medianPriceUsd } =
    report
  const avoid = `${byVerdict.avoid.toLocaleString('en-US')} of ${plural(tracked, 'endpoint')} should be avoided`
  const incidents = `${plural(incidentsOpen, 'incident is', 'incidents are')} open and ${incidentsNew} new`
  const dark = `${plural(dead, 'endpoint is', 'endpoints are')} dark (${deadPct}%)`
  const share = Math.round((100 * byVerdict.safe) / Math.max(1, tracked))
  const safe = `${plural(live, 'endpoint is', 'endpoints are')} live and ${byVerdict.safe} safe to pay (${share}%)`
  const price = medianPriceUsd === null ? '' : `; the median price is ${formatUsd(medianPriceUsd)} per call`
  return [
    tracked === 0 ? 'No endpoint is tracked yet.' : `${avoid}${compare('avoid', report, before)}.`,
    `${incidents}, ${plural(changes.payto_swap, 'receiver')} changed, and ${dark}.`,
    `${safe}${compare('safe', report, before)}${price}.`,
  ]
}

/** Compares a count with that of an earlier report: `, 3 more than on 2026-11-20`. */
function compare(verdict: VerdictCode, report: Report, before: Report | undefined): string {
  if (before === undefined) return ''
  const more = report.byVerdict[verdict] - before.byVerdict[verdict]
  const day = formatDate(Date.parse(before.date))
  if (more === 0) return `, as many as on ${day}`
  return `, ${Math.abs(more).toLocaleString('en-US')} ${more > 0 ? 'more' : 'fewer'} than on ${day}`
}
