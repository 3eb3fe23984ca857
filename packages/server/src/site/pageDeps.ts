import type { PaidOperationId } from '@touchstone402/shared'
import type { Checks } from '../checks/createChecks.ts'
import type { DataLicense, OperatorConfig } from '../config/operatorSettings.ts'
import type { CrawlProgress } from '../facts/crawlProgress.ts'
import type { Announcement } from '../facts/facts.ts'
import type { Clock } from '../lib/clock.ts'
import type { McpVerifier } from '../mcp/verify/createMcpVerifier.ts'
import type { Disputes } from '../owners/createDisputes.ts'
import type { HostClaims } from '../owners/createHostClaims.ts'
import type { Replies } from '../owners/createReplies.ts'
import type { Webhooks } from '../owners/createWebhooks.ts'
import type { ReadModel } from '../readModel/createReadModel.ts'
import type { Store } from '../store/store.ts'
import type { TokenDays } from '../tokens/tokenDays.ts'

/** Dependencies of the pages. */
export type PageDeps = {
  readonly store: Store
  readonly readModel: Pick<ReadModel, 'find' | 'revision'>
  /** Clock of the audit. */
  readonly clock: Pick<Clock, 'now'>
  /** Public origin of the service, without a trailing slash. */
  readonly publicUrl: string
  /** Address that payments to the service go to. */
  readonly payTo: string
  /** Running prices in dollars as decimal strings. */
  readonly prices: Readonly<Record<PaidOperationId, string>>
  /** Who runs the service, and a URL that reaches them. */
  readonly operator: OperatorConfig
  /** Licence of the data of reports. @default none is stated */
  readonly dataLicense?: DataLicense | null
  /** Fetches a small public document, under the guard of addresses; null if there is none. */
  readonly readDocument: (url: string) => Promise<string | null>
  /** Public checks. */
  readonly checks: Pick<Checks, 'start' | 'read'>
  /** Hosts and `host:port` pairs that the operator lets be reached for development. @default none */
  readonly developmentHosts?: readonly string[]
  /** Webhooks of hosts. */
  readonly webhooks: Pick<Webhooks, 'add' | 'removeAt' | 'readUrl'>
  /** Public audits of npm packages. */
  readonly mcpVerifier: McpVerifier
  /** Host claims. */
  readonly hostClaims: Omit<HostClaims, 'checkDue'>
  /** Records a change of receiver that the owner of its host confirmed. */
  readonly confirmReceiver: (announcement: Announcement) => Promise<void>
  /** Disputes by claimed hosts. */
  readonly disputes: Disputes
  /** Replies of the owners of claimed hosts. */
  readonly replies: Replies
  /** Network of payments and tokens, as a CAIP-2 id. */
  readonly network: string
  /** Stored days of tokens. */
  readonly tokenDays: Omit<TokenDays, 'put'>
  /** Progress of the crawl. */
  readonly crawl: () => CrawlProgress
}
