import type { CrawlQueue } from '../ports/crawlQueue.ts'
import type { ReadModel } from '../readModel/createReadModel.ts'
import type { Auditor } from './createAuditor.ts'

/**
 * Wraps an auditor for what is not crawl work: it takes its turn with the host among all processes, and judges by what
 * they have written. Crawl work has its turn already and goes to the auditor itself.
 */
export function auditAlone(
  auditor: Auditor,
  queue: Pick<CrawlQueue, 'alone'>,
  readModel: Pick<ReadModel, 'refresh'>,
): Auditor {
  const inTurn = <T>(endpoint: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    const { host } = new URL(endpoint)
    const refreshed = async () => {
      await readModel.refresh(host)
      return work()
    }
    return queue.alone(host, refreshed, signal)
  }
  return {
    look: (endpoint) => inTurn(endpoint, () => auditor.look(endpoint)),
    lookLive: (endpoint, signal) => inTurn(endpoint, () => auditor.lookLive(endpoint, signal), signal),
    judge: (endpoint) => inTurn(endpoint, () => auditor.judge(endpoint)),
  }
}
