import type { PaidOperationId } from '@touchstone402/shared'
import type { Checks } from '../checks/createChecks.ts'
import type { DataLicense, OperatorConfig } from '../config/operatorSettings.ts'
import type { Context } from '../context.ts'
import type { CrawlProgress } from '../facts/crawlProgress.ts'
import type { McpVerifier } from '../mcp/createMcpVerifier.ts'
import type { ClaimReader } from '../owners/hostClaims.ts'
import type { AddWebhook } from '../owners/manageWebhooks.ts'
import type { ReadModel } from '../readModel/createReadModel.ts'
import type { TokenDays } from '../tokens/tokenDays.ts'

/** Dependencies of the pages. */
export type PageDeps = Pick<Context, 'store' | 'clock' | 'config' | 'ids'> & {
  readonly readModel: Pick<ReadModel, 'find' | 'revision'>
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
  readonly addWebhook: AddWebhook
  /** Public audits of npm packages. */
  readonly verifyMcp: McpVerifier
  /** Reads what hosts publish to be claimed. */
  readonly claimReader: ClaimReader
  /** Network of payments and tokens, as a CAIP-2 id. */
  readonly network: string
  /** Stored days of tokens. */
  readonly tokenDays: Omit<TokenDays, 'put'>
  /** Progress of the crawl. */
  readonly crawl: () => CrawlProgress
}
