import { createServer } from 'node:http'
import type { Metrics } from '../adapters/metrics/createMetrics.ts'
import type { Clock } from '../ports/clock.ts'
import type { CrawlProgress } from '../ports/crawlProgress.ts'
import type { Store } from '../ports/store.ts'

export type MetricsDeps = {
  metrics: Metrics
  store: Pick<Store, 'claims'>
  crawl: () => CrawlProgress
  clock: Pick<Clock, 'now'>
  host: string
  /** 0 takes a free one. */
  port: number
}

/**
 * Serves the metrics on an address of their own, with what is only looked up when somebody asks.
 * @returns where it listens, and how to stop it
 * @throws when the address cannot be listened on
 */
export async function serveMetrics(deps: MetricsDeps): Promise<{ url: string; close(): Promise<void> }> {
  const { metrics, store, crawl, clock, host, port } = deps
  const age = (at: number | null | undefined) =>
    at == null ? Number.NaN : Math.max(0, clock.now() - at) / 1000
  metrics.gaugeBy('claims_open', 'Payments whose outcome is open, by state.', 'state', async () => {
    const open = { claimed: 0, settling: 0, unknown: 0 }
    for (const { state } of await store.claims.unsettled())
      if (state in open) open[state as keyof typeof open] += 1
    return open
  })
  metrics.gauge('crawl_due_endpoints', 'Endpoints that wait to be looked at now.', () => crawl().due)
  metrics.gauge('crawl_looks', 'Looks at endpoints since the start.', () => crawl().looks)
  metrics.gauge('crawl_last_look_age_seconds', 'Time since the last look; NaN before the first.', () =>
    age(crawl().lastLookAt),
  )
  metrics.gauge('crawl_round_endpoints', 'Endpoints of the round under way.', () => crawl().round?.total ?? 0)
  metrics.gauge('crawl_round_looked', 'Those of them that were looked at.', () => crawl().round?.looked ?? 0)
  metrics.gauge('crawl_round_age_seconds', 'Time since the round began; NaN between two rounds.', () =>
    age(crawl().round?.startedAt),
  )
  metrics.gauge('crawl_last_round_age_seconds', 'Time since the last round ended; NaN before that.', () =>
    age(crawl().lastFinishedAt),
  )
  metrics.gaugeBy('crawl_directories', 'Directories, by how their reading stands.', 'state', () => ({
    ...crawl().directories,
  }))
  const server = createServer(metrics.listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const bound = address === null || typeof address === 'string' ? port : address.port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
