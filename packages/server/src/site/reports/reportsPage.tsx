import { OPERATIONS, type Report } from '@touchstone402/shared'
import type { Page } from '../../http/deps.ts'
import { ProblemError } from '../../http/problems.ts'
import { SKIP_REASONS, type SkipCounts, type SkipReason } from '../../ports/directory.ts'
import { answerHtml, answerJson } from '../answerHtml.tsx'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { Table } from '../components/table.tsx'
import { Directories } from '../dashboard/overview.tsx'
import { formatDate, formatTime, plural } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { cardPath, reportPath } from '../paths.ts'
import { findings, trend } from './findings.ts'
import { type FoundReport, findReport } from './findReport.ts'
import { Series } from './series.tsx'
import { VerdictPlot } from './verdictPlot.tsx'

const SHOWN_DAYS = 365
const STACKED_DAYS = 90

/** Creates the pages of the daily reports: the latest at `/reports`, and each at its date. */
export function createReportPages(deps: PageDeps): Page[] {
  const { store } = deps
  return [
    {
      path: '/reports',
      handler: async () => answerHtml(<Reports found={findReport(await store.reports())} deps={deps} />),
    },
    {
      path: '/reports/:date',
      handler: async ({ params: { date = '' }, accepts }) => {
        const found = findReport(await store.reports(), date)
        if (found === undefined)
          throw new ProblemError(404, 'unknown_report', 'There is no report of this day.')
        return accepts === 'json'
          ? answerJson(found.report)
          : answerHtml(<Reports found={found} deps={deps} isDated />)
      },
    },
  ]
}

type PageProps = {
  readonly found: FoundReport | undefined
  readonly deps: Pick<PageDeps, 'publicUrl' | 'crawl'>
  /** The page is that of one day, and stays as it is. @default false */
  readonly isDated?: boolean
}

function Reports({ found, deps: { publicUrl, crawl }, isDated = false }: PageProps) {
  const skipped = isDated ? undefined : crawl?.().skipped
  const path = found === undefined ? '/reports' : reportPath(found.report.date)
  const date = found && formatDate(Date.parse(found.report.date))
  return (
    <Layout
      title={`The state of the x402 ecosystem${date === undefined ? '' : `, ${date}`}`}
      description={
        found === undefined
          ? 'Daily reports on the x402 endpoints that Touchstone measures.'
          : findings(found.report, found.before).join(' ')
      }
      path={isDated ? path : '/reports'}
      publicUrl={publicUrl}
      {...(found !== undefined && { card: cardPath(path) })}
    >
      <h1>State of the ecosystem{isDated && `, ${date}`}</h1>
      {found === undefined ? (
        <p class="lede">The first report appears after the first full day of measurements.</p>
      ) : (
        <Found found={found} isDated={isDated} />
      )}
      <div class="stack below">
        <SkippedRows skipped={skipped} />
      </div>
    </Layout>
  )
}

function Found({ found, isDated }: { readonly found: FoundReport; readonly isDated: boolean }) {
  const { report } = found
  const series = found.series.slice(-SHOWN_DAYS)
  const stacked = series.slice(-STACKED_DAYS)
  return (
    <>
      <div class="says-so">
        {findings(report, found.before).map((sentence) => (
          <p>{sentence}</p>
        ))}
      </div>
      <Days found={found} isDated={isDated} />
      <div class="stack">
        <Panel id="verdicts" title={trend(stacked)}>
          <VerdictPlot reports={stacked} />
        </Panel>
        <Panel id="series" title="Day by day">
          <Series reports={series} />
        </Panel>
        <Directories audit={report.directories} />
      </div>
    </>
  )
}

/** When the report was made, and links to its neighbours. */
function Days({ found: { report, before, after, series }, isDated }: Parameters<typeof Found>[0]) {
  const link = ({ date }: Report) => <a href={reportPath(date)}>{formatDate(Date.parse(date))}</a>
  return (
    <nav class="days muted" aria-label="Reports">
      <span>
        As of <time dateTime={report.asOf}>{formatTime(Date.parse(report.asOf))}</time>
        {!isDated && (
          <>
            {' '}
            (<a href={reportPath(report.date)}>permalink</a>)
          </>
        )}
        ; {plural(series.length, 'day')} <a href={OPERATIONS.reports.path}>as data</a>
      </span>
      <span>
        {before !== undefined && <>Before: {link(before)}</>}
        {before !== undefined && after !== undefined && ' · '}
        {after !== undefined && <>After: {link(after)}</>}
        {isDated && (
          <>
            {' · '}
            <a href="/reports">Latest</a>
          </>
        )}
      </span>
    </nav>
  )
}

const REASONS = Object.entries(SKIP_REASONS) as [SkipReason, string][]

/** Number of rows that the last readings of the directories skipped, by reason. */
function SkippedRows({ skipped }: { skipped: SkipCounts | undefined }) {
  if (skipped === undefined) return null
  return (
    <Panel id="skipped" title="Skipped entries of directories">
      <Table
        empty="None since this process started."
        rows={REASONS.filter(([reason]) => (skipped[reason] ?? 0) > 0)}
        columns={[
          { name: 'Reason', cell: ([, meaning]) => meaning },
          { name: 'Entries', isEnd: true, cell: ([reason]) => skipped[reason] },
        ]}
      />
    </Panel>
  )
}
