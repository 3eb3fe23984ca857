import type { Time } from '../domain/facts/facts.ts'
import type { HostSummary } from '../domain/facts/hostDocument.ts'
import type { ServiceQuery } from '../domain/publish/dataset.ts'
import { type RankedIndex, readRanked } from '../domain/publish/hostIndex.ts'
import type { Store } from '../ports/store.ts'

/** Part of an index. */
export type ListOptions = {
  /** Of the keys. @default all */
  readonly prefix?: string
  /** Number of hosts to leave out at the start. @default 0 */
  readonly skip?: number
  /** @default no limit */
  readonly limit?: number
}

/** Reads the hosts of an index one by one, in order. */
export async function* listHosts(
  store: Pick<Store, 'ranked'>,
  index: Exclude<RankedIndex, 'healthy'>,
  now: Time,
  { prefix = '', skip = 0, limit = Number.POSITIVE_INFINITY }: ListOptions = {},
): AsyncGenerator<string> {
  let place = 0
  for await (const key of store.ranked(index, now, { prefix, limit: skip + limit })) {
    if (place++ >= skip) yield readRanked(key)
  }
}

/** Reads the summaries of the hosts of an index one by one, in order. */
export async function* listSummaries(
  store: Pick<Store, 'ranked' | 'summary'>,
  index: Exclude<RankedIndex, 'healthy'>,
  now: Time,
  options?: ListOptions,
): AsyncGenerator<HostSummary> {
  for await (const host of listHosts(store, index, now, options)) {
    const summary = await store.summary(host)
    if (summary !== undefined) yield summary
  }
}

/** Lists the services of a dataset, best first, and counts them without the limit. */
export async function rankServices(
  store: Pick<Store, 'ranked' | 'counts'>,
  { all, limit }: ServiceQuery,
  now: Time,
): Promise<{ readonly hosts: readonly string[]; readonly total: number }> {
  // A host whose rank changes meanwhile could come twice.
  const hosts = new Set<string>()
  for await (const host of listHosts(store, all ? 'services' : 'working', now, { limit })) hosts.add(host)
  const counted = (await store.counts('hosts/', now)).get(all ? 'hosts/all' : 'hosts/working') ?? 0
  return { hosts: [...hosts], total: hosts.size < limit ? hosts.size : Math.max(hosts.size, counted) }
}
