import type { Report } from '@touchstone402/shared'
import type { CrawlProgress } from '../../facts/crawlProgress.ts'
import type { Time } from '../../facts/facts.ts'
import { DAY, toDate } from '../../facts/times.ts'
import type { Tally } from '../../publish/tally.ts'
import { readReports } from '../../store/facts.ts'
import { Panel } from '../components/panel.tsx'
import { Sparkline } from '../components/plotParts.tsx'
import type { Plot } from '../components/plots.tsx'
import { Moment } from '../components/prose.tsx'
import { plural } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { reportPath } from '../paths.ts'
import { plotSeries, SERIES } from '../reports/series.ts'
import { wholePct } from '../reports/wholePct.ts'

const TREND_DAYS = 30
const WEEK_DAYS = 7

/** How the safe share of services developed. */
export type Trend = {
  readonly plot: Plot
  /** Report of seven days ago, if it counted services. */
  readonly before: Report | undefined
}

/** Reads the trend of the last 30 days. */
export async function readTrend({ store }: Pick<PageDeps, 'store'>, now: Time): Promise<Trend | undefined> {
  const reports = await readReports(store, toDate(now - TREND_DAYS * DAY))
  const [series] = SERIES
  if (series === undefined) return undefined
  const { lines, ...plot } = plotSeries(series, reports)
  const before = reports.find(({ date }) => date === toDate(now - WEEK_DAYS * DAY))
  return { plot: { ...plot, name: 'Safe share of services', lines: lines.slice(0, 1) }, before }
}

/** States the verdicts on all services: `52% of 21 services are safe to pay; 6 to avoid`. */
function describeToday({ hosts, hostVerdicts }: Pick<Tally, 'hosts' | 'hostVerdicts'>): string {
  if (hosts === 0) return 'No service measured yet'
  const { safe = 0, avoid = 0 } = hostVerdicts
  const verb = hosts === 1 ? 'is' : 'are'
  return `${wholePct(safe, hosts)}% of ${plural(hosts, 'service')} ${verb} safe to pay; ${avoid.toLocaleString('en-US')} to avoid`
}

type TodayProps = {
  readonly now: Time
  readonly tally: Tally
  readonly trend: Trend | undefined
  readonly crawl: CrawlProgress
}

/** The share of services that are safe to pay, what it was a week ago, and how far the crawl is. */
export function Today({ now, tally, trend, crawl }: TodayProps) {
  const { date, hosts, hostsByVerdict } = trend?.before ?? {}
  return (
    <Panel id="today" title={describeToday(tally)}>
      {trend !== undefined && (
        <p class="trend">
          <Sparkline plot={trend.plot} />
          {date !== undefined && hosts && hostsByVerdict && (
            <span>
              {wholePct(hostsByVerdict.safe, hosts)}% on {date}
            </span>
          )}
          <a href={`${reportPath()}#verdicts`}>Reports</a>
        </p>
      )}
      <CrawlState {...crawl} now={now} />
    </Panel>
  )
}

function CrawlState({ failingSince, lastProbeAt, due, now }: CrawlProgress & { readonly now: Time }) {
  if (failingSince !== null)
    return (
      <p class="small">
        Crawl failing: no probe from here measured anything since <Moment at={failingSince} now={now} />.
        Verdicts expire until probing works again.
      </p>
    )
  // A process that does not crawl knows nothing of it.
  if (!lastProbeAt) return null
  return (
    <p class="small muted">
      {due === 0 ? 'Crawl up to date' : `Crawl running, ${plural(due, 'probe')} due`},{' '}
      <Moment at={lastProbeAt} />
    </p>
  )
}
