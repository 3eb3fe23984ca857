import { writeCsv } from '@touchstone402/shared'
import type { Page, PageAnswer, PageRequest } from '../../http/deps.ts'
import { ProblemError } from '../../lib/problemError.ts'
import { SERIES_IDS } from '../../publish/seriesIds.ts'
import { answerHtml } from '../answerHtml.tsx'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { Legend, ValueTable } from '../components/plotParts.tsx'
import { LinePlot, WIDE } from '../components/plots.tsx'
import { Day } from '../components/prose.tsx'
import type { Draw } from '../drawing.ts'
import { plural } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { reportPath, seriesPath } from '../paths.ts'
import { Cite, nameReport } from './cite.tsx'
import { loadReport, type ReportView } from './loadReports.ts'
import { writePicture } from './picture.tsx'
import { Sampled } from './sampled.tsx'
import { plotSeries, SERIES, type Series, tabulateSeries } from './series.ts'

/** Pictures and tables of past days do not change. */
const MAX_AGE_SECONDS = 3600

/** A series up to the report of a date. */
type SeriesView = ReportView & { readonly series: Series }

/** Creates the three forms of each series of a report: page, PNG and CSV. */
export function createSeriesPages(deps: PageDeps, draw: Draw): Page[] {
  const page = (
    form: '' | '.png' | '.csv',
    answer: (view: SeriesView, request: PageRequest) => PageAnswer | Promise<PageAnswer>,
  ): Page => ({
    path: seriesPath(':date', ':series', form),
    handler: async (request) => answer(await loadSeries(deps, request), request),
  })
  return [
    page('.png', async (view, { client }) => {
      const source = `${nameReport(view.report)} · ${new URL(deps.config.publicUrl).host}`
      const plot = plotSeries(view.series, view.reports)
      const key = `report ${view.series.id} ${view.report.asOf} ${view.report.date}`
      const body = await draw(key, () => writePicture({ plot, source }), client)
      return { type: 'image/png', body, maxAgeSeconds: MAX_AGE_SECONDS }
    }),
    page('.csv', ({ series, reports }) => ({
      type: 'text/csv; charset=utf-8',
      body: writeCsv(tabulateSeries(series, reports)),
      maxAgeSeconds: MAX_AGE_SECONDS,
    })),
    page('', (view) => answerHtml(<SeriesPage {...deps} {...view} />)),
  ]
}

async function loadSeries(deps: PageDeps, { params }: PageRequest): Promise<SeriesView> {
  const series = SERIES.find(({ id }) => id === params.series)
  if (series === undefined)
    throw new ProblemError(404, 'no_such_series', `A report has the series ${SERIES_IDS.join(', ')}.`)
  return { series, ...(await loadReport(deps, params.date)) }
}

function SeriesPage({ series, report, reports, ...site }: PageDeps & SeriesView) {
  const { id, title, about } = series
  const { date } = report
  const plot = plotSeries(series, reports)
  const path = seriesPath(date, id)
  return (
    <Layout
      {...site}
      title={`${title}, ${date}`}
      description={about}
      path={path}
      card={seriesPath(date, id, '.png')}
    >
      <h1>{title}</h1>
      <p>{about}</p>
      <p class="small muted">
        {plural(reports.length, 'report')} up to <Day at={date} />.{' '}
        <a href={reportPath(date)}>All series of this report</a>
      </p>
      <div class="stack">
        <Panel id="plot" title="Plot">
          <LinePlot plot={plot} class="narrow" />
          <LinePlot plot={plot} size={WIDE} class="wide" />
          <Legend plot={plot} />
          <p class="meta">
            <a href={seriesPath(date, id, '.png')}>Picture (PNG)</a>
            <a href={seriesPath(date, id, '.csv')}>Data (CSV)</a>
          </p>
        </Panel>
        <Cite {...site} report={report} path={path} />
        <Sampled report={report} />
        <Panel id="values" title="Values">
          <ValueTable plot={plot} />
        </Panel>
      </div>
    </Layout>
  )
}
