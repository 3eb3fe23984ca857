import type { CrawlQueue } from '../ports/crawlQueue.ts'
import type { Auditor } from './createAuditor.ts'

/**
 * Wraps an auditor so that it locks the host across processes. Crawl work already holds the lock and uses the auditor
 * directly.
 */
export function auditAlone(auditor: Auditor, queue: Pick<CrawlQueue, 'alone'>): Auditor {
  const locked = <T>(endpoint: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
    queue.alone(new URL(endpoint).host, work, signal)
  return {
    look: (endpoint) => locked(endpoint, () => auditor.look(endpoint)),
    lookLive: (endpoint, signal) => locked(endpoint, () => auditor.lookLive(endpoint, signal), signal),
    lookSubmitted: (endpoint, signal) =>
      locked(endpoint, () => auditor.lookSubmitted(endpoint, signal), signal),
    judge: (endpoint) => locked(endpoint, () => auditor.judge(endpoint)),
  }
}
