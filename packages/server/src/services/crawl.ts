import { createHostChoice } from '../crawl/chooseHosts.ts'
import { createCrawler } from '../crawl/createCrawler.ts'
import { createDirectory } from '../directories/createDirectory.ts'
import { createHostDirectory } from '../directories/createHostDirectory.ts'
import { createHostReader } from '../directories/createHostReader.ts'
import { toTimestamp } from '../facts/times.ts'
import { DIRECTORY_PACE } from '../lib/readJson.ts'
import { type LeaderParts, prepareLeading } from './leader.ts'
import type { Scope } from './scope.ts'

/** The crawl of one process. */
export type Crawl = ReturnType<typeof openCrawl>

/** Longest pause of a crawl while other processes may write due endpoints to the database, in ms. */
const SHARED_PAUSE_MS = 1000

/** Time in ms for which a host is probed before others get their turn. */
const SLICE_MS = 15_000
/** Maximum number of hosts whose documents are read in one round. */
const HOSTS_PER_CHOICE = 1000

/** Opens the crawl. All processes on a store share it, and one of them leads: it does the other background work. */
export function openCrawl(scope: Scope, parts: LeaderParts) {
  const { warn } = scope
  const { config, clock, log, store } = parts.ctx
  const { newId } = parts.ctx.ids
  const { auditor, hostDocuments, hostLeases, document } = parts.audit
  const lead = prepareLeading(scope, parts)
  let ownUrl = config.publicUrl
  let isLeading = false

  const hostDirectory = createHostDirectory({
    origins: createHostChoice({ store, clock, limit: HOSTS_PER_CHOICE }),
    readHost: createHostReader({ store, hostDocuments, hostLeases, document, clock }),
  })
  const reading = { contact: config.operator.contact, pace: DIRECTORY_PACE }
  const crawler = createCrawler({
    store,
    auditor,
    hostLeases,
    clock,
    newId,
    directories: [...config.directories.map((place) => createDirectory(place, reading)), hostDirectory],
    concurrency: config.crawlConcurrency,
    sliceMs: SLICE_MS,
    ...(config.databaseUrl !== null && { longestPauseMs: SHARED_PAUSE_MS }),
    async lead(signal) {
      isLeading = true
      await lead(signal, ownUrl).finally(() => {
        isLeading = false
      })
    },
    onError: (directory, error) => warn('directory', directory)(error),
    onProbeError: (endpoint, error) => warn('probe', endpoint)(error),
    onStoreError: warn('due endpoints'),
    onLeadError: warn('leader'),
    onFailing: (since) => {
      if (since === null) log('info', 'probing recovered', { event: 'probing_works' })
      else
        log(
          'warn',
          `crawl: every probe since ${toTimestamp(since)} failed on our side; check the resolver and the network`,
          { event: 'probing_fails', since: toTimestamp(since) },
        )
    },
    ...(scope.options.onCrawl && { onProgress: scope.options.onCrawl }),
  })

  return {
    progress: crawler.progress,
    /** Returns whether this process leads: it does the work of one process at a time. */
    leads: () => isLeading,
    /** Puts endpoints of a host at the front of the queue, for any process. */
    request: crawler.request,
    /**
     * Crawls until the process stops.
     * @param url local URL of the service
     */
    start(url: string): void {
      ownUrl = url
      const crawling = crawler.run(scope.stopping).catch(warn('crawl'))
      scope.onStop('crawl', () => crawling)
    },
  }
}
