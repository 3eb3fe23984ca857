import { createServer } from 'node:http'
import type { Chain } from '@touchstone402/transfers'
import type { Context } from '../context.ts'
import type { CrawlProgress } from '../facts/crawlProgress.ts'
import { listen } from '../lib/listen.ts'
import { type Metrics, orElse } from '../lib/metrics.ts'
import { readThreadSeconds } from '../lib/thread/threadSeconds.ts'
import { countUnsettled } from '../store/claims.ts'
import type { Crawl } from './crawl.ts'
import type { Health } from './health/createHealth.ts'
import { type OperationDeps, readNewestAge, readOldestDue } from './operation.ts'
import type { Scope } from './scope.ts'

/** Parts whose state the gauges show. */
export type GaugeDeps = OperationDeps & {
  readonly crawl: () => CrawlProgress
  /** Whether this process leads. */
  readonly leads: () => boolean
  /** The audit's clock. */
  readonly now: () => number
}

type MetricsParts = Pick<GaugeDeps, 'cache'> & {
  readonly crawl: Crawl
  readonly health: Health
  readonly chain: Pick<Chain, 'counts'>
}

/**
 * Serves the metrics on a separate address until the process stops.
 * @param address port 0 takes a free one
 * @throws Error if the address is in use
 */
export async function serveMetrics(
  { onStop }: Scope,
  { store, clock, log, metrics }: Context,
  { cache, crawl, health, chain }: MetricsParts,
  address: { readonly host: string; readonly port: number },
): Promise<void> {
  addGauges(metrics, { store, cache, crawl: crawl.progress, leads: crawl.leads, now: () => clock.now() })
  health.addGauges(metrics)
  metrics.totalBy(
    'chain_calls_by_purpose_total',
    'JSON-RPC calls, each one of a batch included, by what they are made for.',
    'purpose',
    () =>
      orElse<Readonly<Record<string, number>>>(
        chain.counts({}).then(({ byPurpose }) => byPurpose),
        {},
      ),
  )
  metrics.totalBy(
    'thread_cpu_seconds_total',
    'Processor time of each thread since it started.',
    'thread',
    readThreadSeconds,
  )
  const server = createServer(metrics.listener)
  const url = await listen(server, address, 'METRICS_HOST, METRICS_PORT')
  onStop(
    'metrics',
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  log('info', `metrics at ${url}/metrics`, { event: 'metrics_served', url: `${url}/metrics` })
}

const toSeconds = (ms: number | null) => (ms === null ? Number.NaN : ms / 1000)

/** Registers the gauges of payments, crawl, store and cache. They show nothing of a store that does not respond. */
export function addGauges(metrics: Metrics, deps: GaugeDeps): void {
  const { store } = deps
  metrics.gaugeBy('claims_open', 'Payments that are neither settled nor released, by state.', 'state', () =>
    orElse<Readonly<Record<string, number>>>(
      countUnsettled(store).then((counts) => ({
        claimed: 0,
        settling: 0,
        reported: 0,
        unknown: 0,
        refused: 0,
        owed: 0,
        missing: 0,
        ...counts,
      })),
      {},
    ),
  )
  addCrawlGauges(metrics, deps)
  addStoreGauges(metrics, deps)
}

function addCrawlGauges({ gauge, gaugeBy }: Metrics, { crawl, leads, now }: GaugeDeps): void {
  const age = (at: number | null | undefined) => (at == null ? Number.NaN : Math.max(0, now() - at) / 1000)
  gauge('leader', '1 while this process leads: it reads directories and writes log and map; else 0.', () =>
    leads() ? 1 : 0,
  )
  gauge('crawl_due_endpoints', 'Endpoints due for a probe.', () => crawl().due)
  gauge('crawl_probes', 'Endpoints probed since the start.', () => crawl().probes)
  gauge(
    'crawl_failed_probes',
    'Probes since the start that ended in an error of ours.',
    () => crawl().failures,
  )
  gauge('crawl_last_probe_age_seconds', 'Time since the last probe; NaN before the first.', () =>
    age(crawl().lastProbeAt),
  )
  gauge('crawl_round_endpoints', 'Endpoints in the current round.', () => crawl().round?.total ?? 0)
  gauge('crawl_round_probed', 'Endpoints probed in the current round.', () => crawl().round?.probed ?? 0)
  gauge('crawl_round_age_seconds', 'Time since the current round started; NaN between two rounds.', () =>
    age(crawl().round?.startedAt),
  )
  gauge('crawl_last_round_age_seconds', 'Time since the last round ended; NaN before the first.', () =>
    age(crawl().lastFinishedAt),
  )
  gauge('crawl_failing', '1 while every probe fails on our side, such as by the resolver; else 0.', () =>
    crawl().failingSince === null ? 0 : 1,
  )
  gauge('crawl_slowest_probe_seconds', 'Slowest probe of the last five minutes; NaN without any.', () =>
    toSeconds(crawl().slowestProbeMs),
  )
  gaugeBy(
    'crawl_directory_rows',
    'Rows of each directory at its last reading, in the process that reads it.',
    'directory',
    () => ({ ...crawl().rows }),
  )
  gaugeBy('crawl_skipped_rows', 'Rows that the last readings skipped, by reason.', 'reason', () => ({
    ...crawl().skipped,
  }))
  gaugeBy('crawl_directories', 'Directories by the result of their last reading.', 'state', () => ({
    ...crawl().directories,
  }))
}

function addStoreGauges({ gauge, total }: Metrics, { store, cache, now }: GaugeDeps): void {
  const orUnknown = (read: Promise<number>) => orElse(read, Number.NaN)
  gauge(
    'crawl_oldest_due_age_seconds',
    'How long the host that has waited longest waits for its turn; 0 if none waits.',
    () => orUnknown(readOldestDue(store, now()).then(toSeconds)),
  )
  gauge('crawl_newest_verdict_age_seconds', 'Age of the newest verdict; NaN without any.', () =>
    orUnknown(readNewestAge(store, now()).then(toSeconds)),
  )
  gauge('store_disk_bytes', 'Size of the store on disk; NaN if unknown.', () => orUnknown(store.diskBytes()))
  gauge('answer_cache_bytes', 'Memory of the cached answers, by estimate.', () => cache.stats().bytes)
  total('answer_cache_hits_total', 'Free answers from the cache.', () => cache.stats().hits)
  total(
    'answer_cache_misses_total',
    'Free answers that were made and can be cached.',
    () => cache.stats().misses,
  )
}
