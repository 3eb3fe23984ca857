import type { CrawlProgress } from '../ports/crawlProgress.ts'
import type { ShopperOptions } from '../shop/createShopper.ts'
import type { Audit } from './openAudit.ts'
import type { Storage } from './openStorage.ts'

/** Parts that background work uses. */
export type WorkDeps = {
  readonly storage: Storage
  readonly audit: Audit
  readonly chain: ShopperOptions['chain']
  readonly onCrawl?: ((progress: CrawlProgress) => void) | undefined
}
