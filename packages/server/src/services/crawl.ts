import { chooseHosts } from '../crawl/chooseHosts.ts'
import { createCrawler } from '../crawl/createCrawler.ts'
import { createDirectory } from '../directories/createDirectory.ts'
import { createHostDirectory } from '../directories/createHostDirectory.ts'
import { readHost } from '../directories/readHost.ts'
import { DIRECTORY_PACE } from '../lib/readJson.ts'
import { type LeaderParts, prepareLeading } from './leader.ts'
import type { Scope } from './scope.ts'

/** The crawl of one process. */
export type Crawl = ReturnType<typeof openCrawl>

/** Time in ms for which a host is probed before others get their turn. */
const SLICE_MS = 15_000
/** Maximum number of hosts whose documents are read in one round. */
const HOSTS_PER_CHOICE = 1000

/** Opens the crawl. All processes on a store share it, and one of them leads: it does the other background work. */
export function openCrawl(scope: Scope, parts: LeaderParts) {
  const { ctx } = parts
  const { config } = ctx
  const { auditor, hostDocuments, context: audit } = parts.audit
  const { hostLeases, document } = audit
  const lead = prepareLeading(scope, parts)
  let ownUrl = config.publicUrl
  let isLeading = false

  const hostDirectory = createHostDirectory({
    origins: () => chooseHosts(ctx, HOSTS_PER_CHOICE),
    readHost: (origin, stop) => readHost(ctx, { hostDocuments, hostLeases, document }, origin, stop),
  })
  const reading = { contact: config.operator.contact, pace: DIRECTORY_PACE }
  const crawler = createCrawler(ctx, {
    auditor,
    hostLeases,
    directories: [...config.directories.map((place) => createDirectory(place, reading)), hostDirectory],
    sliceMs: SLICE_MS,
    async lead(signal) {
      isLeading = true
      await lead(signal, ownUrl).finally(() => {
        isLeading = false
      })
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
      const crawling = crawler.run(scope.stopping).catch(scope.warn('crawl'))
      scope.onStop('crawl', () => crawling)
    },
  }
}
