import { HOUR } from '../domain/facts/times.ts'
import type { Readiness } from '../http/deps.ts'
import type { Storage } from './openStorage.ts'

/** A crawl that wrote nothing for so long stands still: some endpoint of many is due more often. */
const STALE_MS = 6 * HOUR
/** Nobody listens there; any read shows whether the store answers. */
const NO_HOST = 'readiness.invalid'

/**
 * Whether this process is fit to be asked. A crawl that stands still is told and takes nobody out of service: verdicts
 * expire by themselves, and all processes would be ill at once.
 */
export async function checkReadiness({ store, readModel }: Storage, now: number): Promise<Readiness> {
  const isStoreUp = await store.getHost(NO_HOST).then(
    () => true,
    () => false,
  )
  const hosts = readModel.hosts()
  const last = hosts.reduce((latest, { updatedAt }) => Math.max(latest, updatedAt), 0)
  const crawl = hosts.length === 0 ? 'nothing seen yet' : now - last > STALE_MS ? 'stands still' : 'fresh'
  return { isReady: isStoreUp, checks: { store: isStoreUp ? 'ok' : 'does not answer', crawl } }
}
