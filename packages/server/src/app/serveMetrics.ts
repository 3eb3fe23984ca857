import { createServer } from 'node:http'
import type { Metrics } from '../adapters/metrics/createMetrics.ts'
import type { CrawlProgress } from '../ports/crawlProgress.ts'
import type { Store } from '../ports/oldStore.ts'
import { listen } from './listen.ts'
import type { Scope } from './scope.ts'

/** Address of the metrics; port 0 takes a free one. */
export type MetricsAddress = { host: string; port: number }

/**
 * Serves the metrics on a separate address until the scope stops.
 * @returns the URL of the metrics
 * @throws Error if the address is in use
 */
export async function serveMetrics(
  scope: Scope,
  { claims }: Pick<Store, 'claims'>,
  crawl: () => CrawlProgress,
  address: MetricsAddress,
): Promise<string> {
  const { metrics, clock } = scope
  addGauges(metrics, claims, crawl, () => clock.now())
  const server = createServer(metrics.listener)
  const url = await listen(server, address)
  scope.onStop(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  return `${url}/metrics`
}

function addGauges(
  metrics: Metrics,
  claims: Store['claims'],
  crawl: () => CrawlProgress,
  now: () => number,
): void {
  const age = (at: number | null | undefined) => (at == null ? Number.NaN : Math.max(0, now() - at) / 1000)
  metrics.gaugeBy(
    'claims_open',
    'Payments that the chain has not confirmed, by state.',
    'state',
    async () => ({
      ...{ claimed: 0, settling: 0, reported: 0, unknown: 0, missing: 0 },
      ...(await claims.countUnsettled()),
    }),
  )
  metrics.gauge('crawl_due_endpoints', 'Endpoints due for a probe.', () => crawl().due)
  metrics.gauge('crawl_looks', 'Endpoints probed since the start.', () => crawl().looks)
  metrics.gauge('crawl_last_look_age_seconds', 'Time since the last probe; NaN before the first.', () =>
    age(crawl().lastLookAt),
  )
  metrics.gauge('crawl_round_endpoints', 'Endpoints in the current round.', () => crawl().round?.total ?? 0)
  metrics.gauge(
    'crawl_round_looked',
    'Endpoints probed in the current round.',
    () => crawl().round?.looked ?? 0,
  )
  metrics.gauge(
    'crawl_round_age_seconds',
    'Time since the current round started; NaN between two rounds.',
    () => age(crawl().round?.startedAt),
  )
  metrics.gauge(
    'crawl_last_round_age_seconds',
    'Time since the last round ended; NaN before the first.',
    () => age(crawl().lastFinishedAt),
  )
  metrics.gaugeBy('crawl_skipped_rows', 'Rows that the last readings skipped, by reason.', 'reason', () => ({
    ...crawl().skipped,
  }))
  metrics.gaugeBy('crawl_directories', 'Directories by the result of their last reading.', 'state', () => ({
    ...crawl().directories,
  }))
}
