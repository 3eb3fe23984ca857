import type { LookupFunction } from 'node:net'
import { createPublicClient, custom } from 'viem'
import { systemClock } from '../adapters/clock/systemClock.ts'
import type { Config } from '../config/config.ts'
import type { RequestRecord } from '../http/deps.ts'
import type { Clock } from '../ports/clock.ts'
import type { CrawlProgress } from '../ports/crawlProgress.ts'
import type { Prober } from '../ports/prober.ts'
import { readShopperKey } from '../shop/readShopperKey.ts'
import { logOperation } from './logOperation.ts'
import { openAudit } from './openAudit.ts'
import { openHttp } from './openHttp.ts'
import { openStorage } from './openStorage.ts'
import { createScope, type Log, type Scope } from './scope.ts'
import { serveMetrics } from './serveMetrics.ts'
import { prepareWork, type Work } from './startWork.ts'

/** Options of `startApp` and `startWorker`; tests and demonstrations replace parts of the machine with them. */
export type AppOptions = {
  /** The audit's clock. @default the machine's */
  readonly clock?: Clock
  /** Resolves names for probes and directory reads. @default the machine's resolver */
  readonly lookup?: LookupFunction
  /** Receives log lines for the operator. @default ignored */
  readonly log?: Log
  readonly onCrawl?: (progress: CrawlProgress) => void
  /** Receives every request after its answer. */
  readonly onRequest?: (record: RequestRecord) => void
  /** Whether this process crawls; if not, workers on the same database must. @default true */
  readonly crawls?: boolean
  /** Whether probes run in a separate thread; only in the built package. @default false */
  readonly hasProberThread?: boolean
  /** Probes endpoints. @default over the network */
  readonly prober?: Prober
  /** Time limit for reading the chain for a token answer, in ms. @default 7000 */
  readonly readMs?: number
}

/** A running process that crawls but answers no requests. */
export type Worker = {
  crawl(): CrawlProgress
  /** Stops taking requests, finishes those in progress, and closes everything. */
  stop(): Promise<void>
}

/** The running service. */
export type App = Worker & {
  /** Where it listens, such as `http://127.0.0.1:8402`. */
  readonly url: string
}

/**
 * Starts the service and its crawl.
 * @throws Error if the data folder or database belongs to another process or a newer version, the port is in use, or the
 * facilitator does not settle on the network
 */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  return start(config, options, async ({ scope, storage, audit, chain }, work) => {
    const { recheck, progress: crawl } = work
    const { onRequest, readMs } = options
    const url = await openHttp(scope, storage, audit, chain, { recheck, crawl, onRequest, readMs })
    if (options.crawls ?? true) await work.start(url)
    return { url }
  })
}

/**
 * Starts a process that shares the crawl with other workers on the same database.
 * @throws Error if no database is configured, or it belongs to a newer version
 */
export async function startWorker(config: Config, options: AppOptions = {}): Promise<Worker> {
  if (config.databaseUrl === null) throw new Error('DATABASE_URL is missing: workers share a database')
  return start(config, options, async (_, work) => {
    await work.start(config.publicUrl)
    return {}
  })
}

/** Opens the parts of every process, starts those of this one, and serves its metrics. */
async function start<T>(
  config: Config,
  options: AppOptions,
  begin: (parts: Awaited<ReturnType<typeof openParts>>, work: Work) => Promise<T>,
): Promise<T & Worker> {
  const { clock = systemClock, log = () => {}, lookup, hasProberThread = false, onCrawl } = options
  const scope = createScope(config, { clock, lookup, hasProberThread, log })
  try {
    const parts = await openParts(scope, options.prober)
    const work = prepareWork(scope, { ...parts, onCrawl })
    const begun = await begin(parts, work)
    if (config.metrics !== null) {
      const url = await serveMetrics(scope, parts.storage, work.progress, config.metrics)
      log('info', `metrics at ${url}`)
    }
    logOperation(scope, parts.storage, work.progress)
    return { ...begun, crawl: work.progress, stop: scope.stop }
  } catch (error) {
    await scope.stop()
    throw error
  }
}

async function openParts(scope: Scope, prober: Prober | undefined) {
  const { config } = scope
  const storage = await openStorage(config, scope.log, () => scope.clock.now())
  scope.onStop(storage.close)
  // Refuses an unusable key in every process, not only in the one that buys.
  const shopper = config.shopper === null ? null : await readShopperKey(config.shopper.keyFile)
  const audit = openAudit(scope, storage, { shopper: shopper?.address, prober })
  const { source } = audit
  const request = ({ method, params }: { method: string; params?: readonly unknown[] }) =>
    source.request(method, params ?? [])
  // The source retries by itself.
  const chain = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
  return { scope, storage, audit, chain }
}
