import type { Time } from '../facts/facts.ts'
import type { ServiceQuery } from '../publish/dataset.ts'
import { listHosts } from '../store/listHosts.ts'
import type { Store } from '../store/store.ts'

/** Lists the services of a dataset, best first, and counts them without the limit. */
export async function rankServices(
  store: Store,
  { all, limit }: ServiceQuery,
  now: Time,
): Promise<{ readonly hosts: readonly string[]; readonly total: number }> {
  const hosts = new Set<string>()
  for await (const host of listHosts(store, { order: 'best', isWorking: !all, limit }, now)) hosts.add(host)
  if (hosts.size < limit) return { hosts: [...hosts], total: hosts.size }
  const counted = (await store.totals(now)).hosts.filter(({ isWorking }) => all || isWorking)
  const total = counted.reduce((sum, { count }) => sum + count, 0)
  return { hosts: [...hosts], total: Math.max(hosts.size, total) }
}
