import type { CrawlQueue } from '../ports/crawlQueue.ts'
import type { ReadModel } from '../readModel/createReadModel.ts'
import type { Auditor } from './createAuditor.ts'

/**
 * Wraps an auditor so that it locks the host across processes and reads what other processes wrote.
 * Crawl work already holds the lock and uses the auditor directly.
 */
export function auditAlone(
  auditor: Auditor,
  queue: Pick<CrawlQueue, 'alone'>,
  readModel: Pick<ReadModel, 'refresh'>,
): Auditor {
  const locked = <T>(endpoint: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    const { host } = new URL(endpoint)
    const refreshed = async () => {
      await readModel.refresh(host)
      return work()
    }
    return queue.alone(host, refreshed, signal)
  }
  return {
    look: (endpoint) => locked(endpoint, () => auditor.look(endpoint)),
    lookLive: (endpoint, signal) => locked(endpoint, () => auditor.lookLive(endpoint, signal), signal),
    judge: (endpoint) => locked(endpoint, () => auditor.judge(endpoint)),
  }
}
