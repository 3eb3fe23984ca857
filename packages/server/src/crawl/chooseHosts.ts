import type { Context } from '../context.ts'
import { DAY } from '../facts/times.ts'
import { isLive } from '../publish/verdict.ts'
import { readSummary } from '../store/hosts.ts'

/**
 * Chooses hosts whose own documents are read next: those with a live endpoint, at most once a day each, longest wait first.
 * @param limit maximum number of hosts; each takes two requests
 * @returns their origins
 */
export async function chooseHosts(
  { clock, store }: Pick<Context, 'clock' | 'store'>,
  limit: number,
): Promise<string[]> {
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
