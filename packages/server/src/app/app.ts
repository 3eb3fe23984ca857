import type { LookupFunction } from 'node:net'
import { createPublicClient, fallback, http } from 'viem'
import { systemClock } from '../adapters/clock/systemClock.ts'
import type { Config } from '../config/config.ts'
import type { RequestRecord } from '../http/deps.ts'
import type { Clock } from '../ports/clock.ts'
import type { CrawlProgress } from '../ports/crawlProgress.ts'
import { openAudit } from './openAudit.ts'
import { openHttp } from './openHttp.ts'
import { keepReconciling } from './openSales.ts'
import { openStorage } from './openStorage.ts'
import { createScope } from './scope.ts'
import { serveMetrics } from './serveMetrics.ts'
import { prepareWork } from './startWork.ts'

/** What a test or a demonstration may put in place of the machine's own. */
export type AppOptions = {
  /** The audit's clock. @default the machine's */
  readonly clock?: Clock
  /** How probes and directory reads resolve names. @default the machine's resolver */
  readonly lookup?: LookupFunction
  /** Takes one line for each thing an operator should know. @default nothing */
  readonly log?: (level: 'info' | 'warn', message: string) => void
  readonly onCrawl?: (progress: CrawlProgress) => void
  /** Takes every request after its answer. */
  readonly onRequest?: (record: RequestRecord) => void
  /** Whether it crawls as well. Where it does not, workers have to, on the same database. @default true */
  readonly crawls?: boolean
  /** Whether endpoints are probed in a thread of its own; only from the built package. @default false */
  readonly hasProberThread?: boolean
}

/** The service, put together and listening. */
export type App = {
  /** Where it listens: `http://127.0.0.1:8402`. */
  readonly url: string
  crawl(): CrawlProgress
  /** Stops taking calls, finishes those under way, and lets go of everything. */
  stop(): Promise<void>
}

/** A process that crawls and answers nobody. */
export type Worker = Omit<App, 'url'>

/**
 * Puts the service together, starts it, and begins to crawl.
 * @throws when the data folder or the database is not ours, the port is taken, or the facilitator does not settle on the network.
 */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  return start(config, options, async (parts, work) => {
    const { scope, storage, audit } = parts
    const url = await openHttp(scope, storage, audit, {
      recheck: work.recheck,
      crawl: work.progress,
      onRequest: options.onRequest,
    })
    keepReconciling(scope, storage.store.claims, parts.chain)
    if (options.crawls ?? true) await work.start(url)
    return { url }
  })
}

/**
 * Crawls for the processes that answer calls, sharing the work with other workers on the same database.
 * @throws when there is no database to share, or it is not ours
 */
export async function startWorker(config: Config, options: AppOptions = {}): Promise<Worker> {
  if (config.databaseUrl === null) throw new Error('A worker shares its work through DATABASE_URL.')
  return start(config, options, async (_, work) => {
    await work.start(config.publicUrl)
    return {}
  })
}

/** Opens what every process needs, begins what this one is for, and shows its metrics. */
async function start<T>(
  config: Config,
  options: AppOptions,
  begin: (parts: Parts, work: ReturnType<typeof prepareWork>) => Promise<T>,
): Promise<T & Worker> {
  const { clock = systemClock, log = () => {}, lookup, hasProberThread = false, onCrawl } = options
  const scope = createScope(config, { clock, lookup, hasProberThread, log })
  try {
    const parts = await openParts(scope)
    const work = prepareWork(scope, { ...parts, onCrawl })
    const begun = await begin(parts, work)
    if (config.metrics !== null) {
      const { store } = parts.storage
      const served = await serveMetrics({
        metrics: scope.metrics,
        store,
        crawl: work.progress,
        clock,
        ...config.metrics,
      })
      scope.onStop(() => served.close())
      log('info', `metrics at ${served.url}`)
    }
    return { ...begun, crawl: work.progress, stop: scope.stop }
  } catch (error) {
    await scope.stop()
    throw error
  }
}

type Parts = Awaited<ReturnType<typeof openParts>>

async function openParts(scope: ReturnType<typeof createScope>) {
  const { config } = scope
  const storage = await openStorage(config, (message) => scope.log('warn', message))
  scope.onStop(() => storage.close())
  const audit = openAudit(scope, storage)
  const chain = createPublicClient({ transport: fallback(config.rpcUrls.map((url) => http(url))) })
  return { scope, storage, audit, chain }
}
