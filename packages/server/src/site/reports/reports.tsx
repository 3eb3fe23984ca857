import { OPERATIONS, type Report, type VerdictCode } from '@touchstone402/shared'
import type { Page } from '../../http/deps.ts'
import { answerHtml } from '../answerHtml.tsx'
import { Accuracy } from '../components/accuracy.tsx'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { Moment } from '../components/prose.tsx'
import type { Draw } from '../drawing.ts'
import { formatUsd, plural } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { reportPath, seriesPath, withQuery } from '../paths.ts'
import { Cite } from './cite.tsx'
import { SeriesFigure } from './figure.tsx'
import { loadLatest, loadReport, type ReportView } from './loadReports.ts'
import { Sampled } from './sampled.tsx'
import { SERIES } from './series.ts'
import { createSeriesPages } from './seriesPages.tsx'
import { wholePct } from './wholePct.ts'

/** Creates `/reports`, which shows the latest report, the page of each date, and the forms of each series. */
export function createReportPages(deps: PageDeps, draw: Draw): Page[] {
  return [
    {
      path: reportPath(),
      isShared: true,
      handler: async () => {
        const view = await loadLatest(deps)
        return answerHtml(view === undefined ? <NoReport {...deps} /> : <ReportPage {...deps} {...view} />)
      },
    },
    {
      path: reportPath(':date'),
      isShared: true,
      handler: async ({ params }) => {
        const view = await loadReport(deps, params.date)
        return answerHtml(<ReportPage {...deps} {...view} isOfDate />)
      },
    },
    ...createSeriesPages(deps, draw),
  ]
}

const TITLE = 'State of x402'

function NoReport(site: PageDeps) {
  const text = 'The first report appears after the first full day of measurements.'
  return (
    <Layout {...site} title={TITLE} description={text} path={reportPath()}>
      <h1>{TITLE}</h1>
      <p>{text}</p>
    </Layout>
  )
}

type ReportProps = PageDeps &
  ReportView & {
    /** The page stays with this report. @default it shows the latest one */
    readonly isOfDate?: boolean
  }

/** A report: its sentences, its series, how verdicts held, and how to cite it. */
function ReportPage({ report, reports, isOfDate = false, ...site }: ReportProps) {
  const before = reports.at(-2)
  const sentences = describeFindings(report, before)
  const { date, asOf, accuracyFigures } = report
  const since = reports[0]?.date ?? date
  return (
    <Layout
      {...site}
      title={`${TITLE}, ${date}`}
      description={sentences.join(' ')}
      path={reportPath(isOfDate ? date : undefined)}
      card={seriesPath(date, 'verdicts', '.png')}
    >
      <h1>
        {TITLE}, {date}
      </h1>
      {sentences.map((sentence) => (
        <p>{sentence}</p>
      ))}
      <p class="small muted">
        As of <Moment at={asOf} />. <a href={reportPath(date)}>Permalink of this report</a>
        {before !== undefined && (
          <>
            {' · '}
            <a href={reportPath(before.date)}>Report of {before.date}</a>
          </>
        )}
        {isOfDate && (
          <>
            {' · '}
            <a href={reportPath()}>Latest report</a>
          </>
        )}
      </p>
      <div class="stack">
        <Panel
          id="series"
          title={reports.length === 1 ? 'The first day' : `${plural(reports.length, 'day')} up to ${date}`}
          extra={<a href={withQuery(OPERATIONS.reports.path, { since })}>As JSON</a>}
        >
          <div class="plots">
            {SERIES.map((series) => (
              <SeriesFigure series={series} reports={reports} date={date} />
            ))}
          </div>
        </Panel>
        {accuracyFigures !== undefined && <Accuracy figures={accuracyFigures} />}
        <Sampled report={report} />
        <Cite {...site} report={report} path={reportPath(date)} />
      </div>
    </Layout>
  )
}

/**
 * States what a report found, in three sentences made of its figures: bad news first.
 * @param before the report before it. @default nothing is compared
 */
export function describeFindings(report: Report, before: Report | undefined): string[] {
  const { tracked, live, dead, byVerdict, incidentsOpen, incidentsNew, changes, medianPriceUsd } = report
  const avoid = `${byVerdict.avoid.toLocaleString('en-US')} of ${plural(tracked, 'endpoint')} should be avoided`
  const incidents = `${plural(incidentsOpen, 'incident is', 'incidents are')} open and ${incidentsNew} new`
  const dark = `${plural(dead, 'endpoint is', 'endpoints are')} dark (${wholePct(dead, tracked)}%)`
  const share = wholePct(byVerdict.safe, tracked)
  const safe = `${plural(live, 'endpoint is', 'endpoints are')} live and ${byVerdict.safe} safe to pay (${share}%)`
  const price = medianPriceUsd === null ? '' : `; the median price is ${formatUsd(medianPriceUsd)} per call`
  return [
    tracked === 0 ? 'No endpoint is tracked yet.' : `${avoid}${compare('avoid', report, before)}.`,
    `${incidents}, the receiver changed at ${plural(changes.payto_swap, 'endpoint')}, and ${dark}.`,
    `${safe}${compare('safe', report, before)}${price}.`,
  ]
}

/** Compares a count with that of an earlier report: `, 3 more than on 2026-11-20`. */
function compare(verdict: VerdictCode, report: Report, before: Report | undefined): string {
  if (before === undefined) return ''
  const more = report.byVerdict[verdict] - before.byVerdict[verdict]
  if (more === 0) return `, as many as on ${before.date}`
  return `, ${Math.abs(more).toLocaleString('en-US')} ${more > 0 ? 'more' : 'fewer'} than on ${before.date}`
}
