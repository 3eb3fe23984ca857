import type { Time } from '../facts/facts.ts'
import type { HostSummary } from '../facts/hostDocument.ts'
import { type HostQuery, readHosts, readSummaries } from './hosts.ts'
import type { Store } from './store.ts'

/** Number of names that are read at once, and of summaries, of which one may be large. */
const PAGE = 500
const SUMMARIES = 25

/** Hosts to list. */
export type ListOptions = Omit<HostQuery, 'after' | 'skip' | 'limit'> & {
  /** @default no limit */
  readonly limit?: number
}

/** Reads the summaries of hosts in an order. One whose place changes meanwhile may come twice, or not at all. */
export async function* listSummaries(
  store: Store,
  options: ListOptions,
  now: Time,
): AsyncGenerator<HostSummary> {
  for await (const hosts of listPages(store, options, now)) yield* readEach(store, hosts)
}

/** Reads the summaries of hosts, in the order of their names. */
export async function* readEach(store: Store, hosts: readonly string[]): AsyncGenerator<HostSummary> {
  for (let from = 0; from < hosts.length; from += SUMMARIES)
    yield* await readSummaries(store, hosts.slice(from, from + SUMMARIES))
}

/** Reads the names of hosts in an order. One whose place changes meanwhile may come twice, or not at all. */
export async function* listHosts(store: Store, options: ListOptions, now: Time): AsyncGenerator<string> {
  for await (const hosts of listPages(store, options, now)) yield* hosts
}

async function* listPages(
  store: Store,
  { limit = Number.POSITIVE_INFINITY, ...query }: ListOptions,
  now: Time,
): AsyncGenerator<string[]> {
  let last: string | undefined
  for (let read = 0; read < limit; ) {
    const most = Math.min(PAGE, limit - read)
    // Names are their own places, so that no page passes over those before it.
    const from = query.order === 'names' && last !== undefined ? { after: last } : { skip: read }
    const hosts = await readHosts(store, { ...query, ...from, limit: most }, now)
    yield hosts
    read += hosts.length
    last = hosts.at(-1)
    if (hosts.length < most) return
  }
}
