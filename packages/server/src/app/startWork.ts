import { once } from 'node:events'
import { createDirectory } from '../adapters/directory/createDirectory.ts'
import { createHostDirectory } from '../adapters/directory/createHostDirectory.ts'
import type { McpConfig } from '../config/mcpSettings.ts'
import type { ShopperConfig } from '../config/shopperSettings.ts'
import { createHostChoice } from '../crawl/chooseHosts.ts'
import { createCrawler } from '../crawl/createCrawler.ts'
import { createSharedCrawler } from '../crawl/createSharedCrawler.ts'
import { createReporter } from '../crawl/report.ts'
import type { CrawlProgress } from '../ports/crawlProgress.ts'
import type { ShopperOptions } from '../shop/createShopper.ts'
import { readShopperKey } from '../shop/readShopperKey.ts'
import type { Audit } from './openAudit.ts'
import type { Storage } from './openStorage.ts'
import type { Scope } from './scope.ts'
import { startMcpAudits } from './startMcpAudits.ts'
import { startShopping } from './startShopping.ts'

export type WorkDeps = {
  readonly storage: Storage
  readonly audit: Audit
  readonly chain: ShopperOptions['chain']
  readonly onCrawl?: ((progress: CrawlProgress) => void) | undefined
}

/** Everything that nobody asks for: the crawl, daily reports, test purchases, audits of MCP servers. */
export type Work = {
  progress(): CrawlProgress
  /** Has a host looked at before all others, by whichever process crawls. */
  recheck(host: string): Promise<void> | void
  /**
   * Begins it, until the scope stops.
   * @param ownUrl where the service is reached from here
   * @throws when the shopper's key file is missing, malformed or open to others
   */
  start(ownUrl: string): Promise<void>
}

/**
 * Puts the work together. On a data folder this process does all of it; on a database processes share the crawl, and
 * the rest is done by one of them at a time.
 */
export function prepareWork(scope: Scope, deps: WorkDeps): Work {
  const { config, clock, newId, log } = scope
  const { storage, audit, chain } = deps
  const { store, readModel, queue } = storage
  let ownUrl = config.publicUrl

  const readDocument = async (url: string, signal?: AbortSignal) =>
    (await audit.optOut.isOptedOut(url, signal)) ? null : audit.prober.document(url, signal)
  const crawl = {
    ...storage,
    auditor: audit.crawlAuditor,
    clock,
    newId,
    directories: [
      ...config.directories.map((directory) => createDirectory(directory, { contact: config.contact })),
      createHostDirectory({
        name: 'host',
        origins: createHostChoice({ readModel, clock }),
        readDocument: (url, signal) =>
          queue === null
            ? readDocument(url, signal)
            : queue.alone(new URL(url).host, () => readDocument(url, signal), signal),
      }),
    ],
    concurrency: config.crawlConcurrency,
    onError: (directory: string, error: unknown) => scope.warn(`directory ${directory}`)(error),
    onLookError: (endpoint: string, error: unknown) => scope.warn(`look at ${endpoint}`)(error),
    ...(deps.onCrawl && { onProgress: deps.onCrawl }),
  }
  const reporter = createReporter({ store, readModel, clock, newId, onError: scope.warn('report') })

  const shop = async (shopper: ShopperConfig) =>
    startShopping({
      config,
      shopper,
      ownUrl,
      chain,
      ...(scope.lookup && { lookup: scope.lookup }),
      store,
      readModel,
      auditor: audit.auditor,
      clock,
      newId,
      onPurchase: ({ endpoint, settled, delivered }) =>
        log('info', `test purchase at ${endpoint}: settled ${settled}, delivered ${delivered}`),
      onRefusal: (endpoint, reason) => log('info', `test purchase at ${endpoint} refused: ${reason}`),
      onError: scope.warn('test purchases'),
    })
  const auditMcp = async (settings: McpConfig) =>
    startMcpAudits({
      settings,
      contact: config.contact,
      audits: storage.mcpAudits,
      clock,
      prober: audit.prober,
      onRound: ({ listed, rejected, audited }) =>
        log('info', `MCP servers: ${listed} listed, ${rejected} rejected, ${audited} audited`),
      onError: (directory, error) => scope.warn(`MCP directory ${directory}`)(error),
    })
  /** Begins what goes on beside the crawl; resolves to the function that ends it. */
  const startBesides = async (signal: AbortSignal) => {
    const reporting = reporter.run(signal).catch(scope.warn('reports ended'))
    const stops = [() => reporting]
    if (config.shopper !== null) stops.push(await shop(config.shopper))
    if (config.mcp !== null) stops.push(await auditMcp(config.mcp))
    return () => Promise.all(stops.map((stop) => stop()))
  }
  const lead = async (signal: AbortSignal) => {
    log('info', 'this process leads the crawl')
    const stop = await startBesides(signal)
    if (!signal.aborted) await once(signal, 'abort')
    await stop()
  }

  const crawler = queue === null ? createCrawler(crawl) : createSharedCrawler({ ...crawl, queue, lead })
  return {
    progress: crawler.progress,
    recheck: crawler.request,
    async start(url) {
      ownUrl = url
      // A key that cannot be used stops the start, whoever leads.
      if (config.shopper !== null) await readShopperKey(config.shopper.keyFile)
      const ending = new AbortController()
      const crawling = crawler.run(ending.signal).catch(scope.warn('crawl ended'))
      scope.onStop(async () => {
        ending.abort()
        await crawling
      })
      if (queue !== null) return
      const stop = await startBesides(ending.signal)
      scope.onStop(() => {
        ending.abort()
        return stop()
      })
    },
  }
}
