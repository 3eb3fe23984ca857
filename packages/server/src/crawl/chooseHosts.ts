import { DAY } from '../facts/times.ts'
import type { Clock } from '../lib/clock.ts'
import { isLive } from '../publish/verdict.ts'
import { readSummary } from '../store/hosts.ts'
import type { Store } from '../store/store.ts'

export type HostChoiceDeps = {
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
  /** Maximum number of hosts per choice; each takes two requests. */
  readonly limit: number
}

/**
 * Creates the choice of hosts whose own documents are read next: those with a live endpoint, at most once a day each,
 * longest wait first. Returns their origins.
 */
export function createHostChoice({ store, clock, limit }: HostChoiceDeps): () => Promise<string[]> {
  return async () => {
    const now = clock.now()
    const origins: string[] = []
    while (origins.length < limit) {
      const hosts = await store.write('takeDocuments', now, now + DAY, limit - origins.length)
      if (hosts.length === 0) break
      for (const host of hosts) {
        const endpoints = (await readSummary(store, host))?.endpoints ?? []
        const live = endpoints.find((endpoint) => isLive(endpoint, now))
        if (live !== undefined) origins.push(new URL(live.endpoint).origin)
      }
    }
    return origins
  }
}
