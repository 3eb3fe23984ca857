import { createServer } from 'node:http'
import type { CrawlProgress } from '../ports/crawlProgress.ts'
import { addGauges } from './addGauges.ts'
import { listen } from './listen.ts'
import type { Storage } from './openStorage.ts'
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
  storage: Storage,
  crawl: () => CrawlProgress,
  address: MetricsAddress,
): Promise<string> {
  const { metrics, clock } = scope
  addGauges(metrics, { storage, crawl, now: () => clock.now() })
  const server = createServer(metrics.listener)
  const url = await listen(server, address, 'METRICS_HOST, METRICS_PORT')
  scope.onStop(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  return `${url}/metrics`
}
