import type { Checks } from '../checks/createChecks.ts'
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
  /** Fetches a small public document, under the guard of addresses; null if there is none. */
  readonly readDocument: (url: string) => Promise<string | null>
  /** Public checks. */
  readonly checks: Pick<Checks, 'start' | 'read'>
  readonly addWebhook: AddWebhook
  /** Public audits of npm packages. */
  readonly verifyMcp: McpVerifier
  /** Reads what hosts publish to be claimed. */
  readonly claimReader: ClaimReader
  /** Stored days of tokens. */
  readonly tokenDays: Omit<TokenDays, 'put'>
  /** Progress of the crawl. */
  readonly crawl: () => CrawlProgress
}
