import { once } from 'node:events'
import { createDirectory } from '../adapters/directory/createDirectory.ts'
import { createHostDirectory } from '../adapters/directory/createHostDirectory.ts'
import { createHostChoice } from '../crawl/chooseHosts.ts'
import { createCrawler } from '../crawl/createCrawler.ts'
import { createSharedCrawler } from '../crawl/createSharedCrawler.ts'
import { rebuildDocuments } from '../crawl/rebuildDocuments.ts'
import { createReporter } from '../crawl/report.ts'
import { toTimestamp } from '../domain/facts/times.ts'
import { SCORE_VERSION } from '../domain/judge/spec.ts'
import type { CrawlProgress } from '../ports/crawlProgress.ts'
import { openHostClaims, watchClaims } from './forms/openClaims.ts'
import { openLog } from './openLog.ts'
import type { Scope } from './scope.ts'
import { startMap } from './startMap.ts'
import { startMcpAudits } from './startMcpAudits.ts'
import { startShopping } from './startShopping.ts'
import { prepareWebhooks } from './startWebhooks.ts'
import type { WorkDeps } from './workDeps.ts'

/** The background work: crawl, daily reports, test purchases, MCP audits, webhooks. */
export type Work = {
  progress(): CrawlProgress
  /** Schedules a host to be probed first, by any process. */
  recheck(host: string): Promise<void> | void
  /**
   * Starts the work until the scope stops.
   * @param ownUrl local URL of the service
   * @throws Error if the shopper's key file is missing, malformed or readable by other users
   */
  start(ownUrl: string): Promise<void>
}

/**
 * Prepares the work. On a data folder this process does all of it; on a database the processes share the crawl, and one
 * of them leads: it does the rest.
 */
export function prepareWork(scope: Scope, deps: WorkDeps): Work {
  const { config, clock, newId, log } = scope
  const { storage, audit } = deps
  const { store, queue } = storage
  const startWebhooks = prepareWebhooks(scope, deps)
  let ownUrl = config.publicUrl

  const readDocument = async (url: string, signal?: AbortSignal) =>
    (await audit.optOut.isOptedOut(url, signal)) ? null : audit.prober.document(url, signal)
  const crawl = {
    store,
    auditor: audit.crawlAuditor,
    clock,
    newId,
    directories: [
      ...config.directories.map((directory) => createDirectory(directory, { contact: config.contact })),
      createHostDirectory({
        name: 'host',
        origins: createHostChoice({ store, clock }),
        readDocument: (url, signal) =>
          queue === null
            ? readDocument(url, signal)
            : queue.alone(new URL(url).host, () => readDocument(url, signal), signal),
      }),
    ],
    concurrency: config.crawlConcurrency,
    onError: (directory: string, error: unknown) => scope.warn(`directory ${directory}`)(error),
    onLookError: (endpoint: string, error: unknown) => scope.warn(`probe of ${endpoint}`)(error),
    onStoreError: scope.warn('due endpoints'),
    onFailing: (since: number | null) => {
      if (since === null) log('info', 'crawl: probing works again')
      else
        log(
          'warn',
          `crawl: every probe since ${toTimestamp(since)} failed on our side; check the resolver and the network`,
        )
    },
    ...(deps.onCrawl && { onProgress: deps.onCrawl }),
  }
  const reporter = createReporter({ store, clock, newId, onError: scope.warn('report') })

  const rebuild = (signal: AbortSignal) =>
    rebuildDocuments(
      {
        store,
        rebuild: audit.auditor.judge,
        scoreVersion: SCORE_VERSION,
        clock,
        onProgress: ({ rebuilt, failed, host }) =>
          log(
            'info',
            `score ${SCORE_VERSION}: ${rebuilt} verdicts rebuilt, ${failed} failed, ${host === null ? 'done' : `at ${host}`}`,
          ),
        onError: (endpoint, error) => scope.warn(`verdict of ${endpoint}`)(error),
      },
      signal,
    )

  /** Starts the work of the leader. Returns a function that stops it. */
  const startLeading = async (signal: AbortSignal) => {
    const reporting = reporter.run(signal).catch(scope.warn('reports ended'))
    const rebuilding = rebuild(signal).catch(scope.warn('rebuilding verdicts'))
    const openedLog = await openLog(scope, store).catch((error: unknown) => {
      scope.warn('log')(error)
      return undefined
    })
    const logging = openedLog?.run(signal).catch(scope.warn('log ended'))
    const stops: (() => Promise<unknown>)[] = [() => reporting, () => rebuilding, async () => logging]
    stops.push(startWebhooks(signal))
    const watching = watchClaims(scope, openHostClaims(scope, storage), signal).catch(
      scope.warn('claims ended'),
    )
    stops.push(() => watching)
    if (config.hasMap) stops.push(await startMap(scope, deps, openedLog, signal))
    if (config.shopper !== null) stops.push(await startShopping(scope, deps, config.shopper, ownUrl))
    if (config.mcp !== null) stops.push(await startMcpAudits(scope, deps, config.mcp))
    return () => Promise.all(stops.map((stop) => stop()))
  }
  const lead = async (signal: AbortSignal) => {
    log('info', 'this process leads the crawl')
    const stop = await startLeading(signal)
    if (!signal.aborted) await once(signal, 'abort')
    await stop()
  }

  const crawler = queue === null ? createCrawler(crawl) : createSharedCrawler({ ...crawl, queue, lead })
  return {
    progress: crawler.progress,
    recheck: crawler.request,
    async start(url) {
      ownUrl = url
      const ending = new AbortController()
      const crawling = crawler.run(ending.signal).catch(scope.warn('crawl ended'))
      scope.onStop(async () => {
        ending.abort()
        await crawling
      })
      if (queue !== null) return
      const stop = await startLeading(ending.signal)
      scope.onStop(() => {
        ending.abort()
        return stop()
      })
    },
  }
}
