import { DAY } from '../domain/facts/times.ts'
import { isLive } from '../domain/publish/verdict.ts'
import type { Clock } from '../ports/clock.ts'
import type { ReadModel } from '../readModel/createReadModel.ts'

export type HostChoiceDeps = {
  readonly readModel: Pick<ReadModel, 'hosts'>
  readonly clock: Pick<Clock, 'now'>
  /** Maximum number of hosts per choice; each takes two requests. @default 1000 */
  readonly limit?: number
}

/**
 * Creates the choice of hosts whose own documents are read next: those with a live endpoint, at most once a day each,
 * longest wait first. Returns their origins.
 */
export function createHostChoice({ readModel, clock, limit = 1000 }: HostChoiceDeps): () => string[] {
  const asked = new Map<string, number>()
  return () => {
    const now = clock.now()
    const waits: { host: string; endpoint: string; at: number }[] = []
    for (const { host, endpoints } of readModel.hosts()) {
      const at = asked.get(host) ?? 0
      if (now - at < DAY) continue
      const live = endpoints.find((endpoint) => isLive(endpoint, now))
      if (live !== undefined) waits.push({ host, endpoint: live.endpoint, at })
    }
    const chosen = waits.sort((a, b) => a.at - b.at).slice(0, limit)
    for (const { host } of chosen) asked.set(host, now)
    return chosen.map(({ endpoint }) => new URL(endpoint).origin)
  }
}
