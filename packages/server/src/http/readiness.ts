import { HOUR } from '../domain/facts/times.ts'
import type { CrawlProgress } from '../ports/crawlProgress.ts'
import type { Store } from '../ports/store.ts'
import type { Readiness } from './deps.ts'

/** Age of the newest document from which a crawl is stale; with many endpoints, some are due more often. */
const STALE_MS = 6 * HOUR

/**
 * Checks whether this process can answer requests. A failing or stale crawl is reported but does not take the process out
 * of service: verdicts expire anyway, and all processes would be affected at once.
 */
export async function checkReadiness(
  store: Pick<Store, 'newestAt'>,
  { failingSince }: Pick<CrawlProgress, 'failingSince'>,
  now: number,
): Promise<Readiness> {
  const newest = await store.newestAt().then(
    (at) => ({ at }),
    () => null,
  )
  const crawl = failingSince === null ? describeAge(newest, now) : 'failing'
  return { isReady: newest !== null, checks: { store: newest === null ? 'unavailable' : 'ok', crawl } }
}

function describeAge(newest: { readonly at: number | null } | null, now: number): string {
  if (newest === null) return 'unknown'
  if (newest.at === null) return 'nothing probed yet'
  return now - newest.at > STALE_MS ? 'stale' : 'fresh'
}
