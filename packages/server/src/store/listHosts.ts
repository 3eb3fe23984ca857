import type { Time } from '../facts/facts.ts'
import type { HostSummary } from '../facts/hostDocument.ts'
import { type HostQuery, readHosts, readSummary } from './hosts.ts'
import type { Store } from './store.ts'

/** Number of hosts that are read at once. */
const PAGE = 500

/** Hosts to list. */
export type ListOptions = Omit<HostQuery, 'after' | 'skip' | 'limit'> & {
  /** @default no limit */
  readonly limit?: number
}

/** Reads the names of hosts in an order. One whose place changes meanwhile may come twice, or not at all. */
export async function* listHosts(
  store: Store,
  { limit = Number.POSITIVE_INFINITY, ...query }: ListOptions,
  now: Time,
): AsyncGenerator<string> {
  let last: string | undefined
  for (let read = 0; read < limit; ) {
    const most = Math.min(PAGE, limit - read)
    // Names are their own places, so that no page passes over those before it.
    const from = query.order === 'names' && last !== undefined ? { after: last } : { skip: read }
    const hosts = await readHosts(store, { ...query, ...from, limit: most }, now)
    yield* hosts
    read += hosts.length
    last = hosts.at(-1)
    if (hosts.length < most) return
  }
}

/** Reads the summaries of hosts one by one, in an order. */
export async function* listSummaries(
  store: Store,
  options: ListOptions,
  now: Time,
): AsyncGenerator<HostSummary> {
  for await (const host of listHosts(store, options, now)) {
    const summary = await readSummary(store, host)
    if (summary !== undefined) yield summary
  }
}
