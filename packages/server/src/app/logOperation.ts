import { HOUR } from '../domain/facts/times.ts'
import type { CrawlProgress } from '../ports/crawlProgress.ts'
import type { Storage } from './openStorage.ts'
import { describeOperation, readOperation } from './operation.ts'
import type { Scope } from './scope.ts'

/** Logs the state of storage and crawl now and each hour, until the scope stops. */
export function logOperation(scope: Scope, storage: Storage, crawl: () => CrawlProgress): void {
  const { log, warn, clock, onStop } = scope
  const write = async () => {
    log('info', describeOperation(await readOperation(storage, crawl(), clock.now())))
  }
  const run = () => void write().catch(warn('state of storage'))
  run()
  const timer = setInterval(run, HOUR)
  onStop(() => clearInterval(timer))
}
