import type { PaidOperationId } from '@touchstone402/shared'
import type { Clock } from '../ports/clock.ts'
import type { CrawlProgress } from '../ports/crawlProgress.ts'
import type { Store } from '../ports/store.ts'
import type { ReadModel } from '../readModel/createReadModel.ts'

/** Dependencies of the pages. */
export type PageDeps = {
  readonly store: Omit<Store, 'append' | 'putEndpoint' | 'claimDue' | 'claims' | 'close'>
  readonly readModel: Pick<ReadModel, 'find' | 'revision'>
  /** Clock of the audit. */
  readonly clock: Pick<Clock, 'now'>
  /** Public origin of the service, without a trailing slash. */
  readonly publicUrl: string
  /** Running prices in dollars as decimal strings. @default prices of the contract */
  readonly prices?: Readonly<Partial<Record<PaidOperationId, string>>>
  /** Contact for disputes and reports: a mail address, or a `mailto:` or `https:` URL. @default none */
  readonly contact?: string
  /** Moves a host to the front of the crawl queue. @default re-checks cannot be requested */
  readonly recheck?: (host: string) => Promise<void> | void
  /** Progress of the crawl. @default unknown */
  readonly crawl?: () => CrawlProgress
}
