import { HOUR } from '../domain/facts/times.ts'
import type { Readiness } from '../http/deps.ts'
import type { Storage } from './openStorage.ts'

/** Age of the newest document from which a crawl is stale; with many endpoints, some are due more often. */
const STALE_MS = 6 * HOUR
/** A host that cannot exist; any read shows whether the store is available. */
const NO_HOST = 'readiness.invalid'

/**
 * Checks whether this process can answer requests. A stale crawl is reported but does not take the process out of
 * service: verdicts expire anyway, and all processes would be affected at once.
 */
export async function checkReadiness({ store, readModel }: Storage, now: number): Promise<Readiness> {
  const isReady = await store.getHost(NO_HOST).then(
    () => true,
    () => false,
  )
  const hosts = readModel.hosts()
  const last = hosts.reduce((latest, { updatedAt }) => Math.max(latest, updatedAt), 0)
  const crawl = hosts.length === 0 ? 'nothing probed yet' : now - last > STALE_MS ? 'stale' : 'fresh'
  return { isReady, checks: { store: isReady ? 'ok' : 'unavailable', crawl } }
}
