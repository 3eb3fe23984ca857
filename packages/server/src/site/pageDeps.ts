import type { PaidOperationId } from '@touchstone402/shared'
import type { Clock } from '../ports/clock.ts'
import type { CrawlProgress } from '../ports/crawlProgress.ts'
import type { Store } from '../ports/store.ts'
import type { ReadModel } from '../readModel/createReadModel.ts'

/** What the pages are made from. */
export type PageDeps = {
  readonly store: Pick<Store, 'hostFacts' | 'receiver' | 'changes' | 'incidents' | 'reports'>
  readonly readModel: Pick<ReadModel, 'find' | 'host' | 'hosts' | 'sharedBy' | 'revision'>
  /** The audit's clock. */
  readonly clock: Pick<Clock, 'now'>
  /** Origin under which the service is reached, without a slash at the end. */
  readonly publicUrl: string
  /** Running prices in dollars as decimal strings. @default those of the contract */
  readonly prices?: Readonly<Partial<Record<PaidOperationId, string>>>
  /** Where disputes and reports go: a mail address, or a `mailto:` or `https:` URL. @default none is shown */
  readonly contact?: string
  /** Puts a host in front of the crawl's queue. @default nobody can ask for it */
  readonly recheck?: (host: string) => Promise<void> | void
  /** How far the crawl is. @default it is not known */
  readonly crawl?: () => CrawlProgress
}
