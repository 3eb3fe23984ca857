import type { Profile, VerdictCode } from '@touchstone402/shared'
import type { Time } from '../../domain/facts/facts.ts'
import type { HostSummary } from '../../domain/facts/hostDocument.ts'
import { describeProfile, WORST_FIRST } from '../../domain/publish/profile.ts'
import { type ListOptions, listHosts, listSummaries } from '../../readModel/listHosts.ts'
import type { PageDeps } from '../pageDeps.ts'
import { isByPrice, isFiltered, type ListView, PRICE_RANGES, VERDICT_CODES } from './listView.ts'
import type { OverviewFacts } from './readOverview.ts'
import { explainRow } from './serviceReason.ts'

const PAGE_SIZE = 25
/** Number of pages; a page costs a pass over the keys of all before it. */
const MAX_PAGES = 400
/** Number of services that a filter without an index looks at. */
const MAX_SCANNED = 1_000

/** A service, and the main reason for its verdict. */
export type ServiceRow = { readonly profile: Profile; readonly reason: string }

/** One page of the list of services. */
export type ServicePage = {
  readonly services: readonly ServiceRow[]
  readonly view: ListView
  readonly pages: number
  /** Number of services that a filter looked at, if there are more. */
  readonly scanned?: number
}

type Store = Pick<PageDeps['store'], 'hosts' | 'summary'>

/** Reads the page of the services that a view asks for, or the last one before it. */
export async function readServicePage(
  { store }: { readonly store: Store },
  { hosts, hostVerdicts }: OverviewFacts,
  view: ListView,
  now: Time,
): Promise<ServicePage> {
  if (isFiltered(view) || isByPrice(view) || (view.sort === 'name' && view.verdict !== undefined))
    return scanServices(store, view, now)
  const matching = view.verdict === undefined ? hosts : (hostVerdicts[view.verdict] ?? 0)
  const pages = countPages(matching)
  const page = Math.min(view.page, pages)
  const services: ServiceRow[] = []
  let skip = (page - 1) * PAGE_SIZE
  for await (const host of listView(store, view, now, skip + PAGE_SIZE)) {
    if (skip-- > 0) continue
    const summary = await store.summary(host)
    if (summary !== undefined) services.push(toRow(summary, now))
    if (services.length === PAGE_SIZE) break
  }
  return { services, view: { ...view, page }, pages }
}

const countPages = (matching: number) => Math.min(MAX_PAGES, Math.max(1, Math.ceil(matching / PAGE_SIZE)))

/** Filters the first services of an order one by one. The order of prices has no index: it sorts the best services. */
async function scanServices(store: Store, view: ListView, now: Time): Promise<ServicePage> {
  const found: ServiceRow[] = []
  let scanned = 0
  for await (const host of listView(store, view, now, MAX_SCANNED + 1)) {
    if (++scanned > MAX_SCANNED) break
    const summary = await store.summary(host)
    const row = summary && toRow(summary, now)
    if (row !== undefined && matches(row.profile, view)) found.push(row)
  }
  if (isByPrice(view)) sortByPrice(found, view.sort === 'dear')
  const pages = countPages(found.length)
  const page = Math.min(view.page, pages)
  return {
    services: found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE),
    view: { ...view, page },
    pages,
    ...(scanned > MAX_SCANNED && { scanned: MAX_SCANNED }),
  }
}

/** Yields the hosts of a view in its order; those of one verdict are best score first. */
async function* listView(
  store: Store,
  { sort, verdict }: ListView,
  now: Time,
  limit: number,
): AsyncGenerator<string> {
  if (sort === 'name') return yield* listHosts(store, { order: 'names', limit }, now)
  const order: readonly VerdictCode[] = sort === 'worst' ? WORST_FIRST : VERDICT_CODES
  for (const code of verdict === undefined ? order : [verdict])
    yield* listHosts(store, { order: 'best', verdict: code, limit }, now)
}

function matches(profile: Profile, { verdict, flag, network, price, directory }: ListView): boolean {
  const { from, to } = price === undefined ? { from: 0, to: 0 } : PRICE_RANGES[price]
  const least = Math.min(...pricesOf(profile))
  return (
    (verdict === undefined || profile.verdict === verdict) &&
    (flag === undefined || profile.flags.includes(flag)) &&
    (network === undefined || profile.network.split(', ').includes(network)) &&
    (directory === undefined || profile.listedBy.includes(directory)) &&
    (price === undefined || (Number.isFinite(least) && least >= from && least < to))
  )
}

/** The known prices per call that a service asks now: of its live endpoints, or of all if none is live. */
function pricesOf({ endpoints }: Profile): number[] {
  const live = endpoints.filter(({ status }) => status === 'live')
  return (live.length > 0 ? live : endpoints).flatMap(({ priceUsd }) => priceUsd ?? [])
}

/** Sorts by the lowest price, or by the highest from the top down; services without a known price come last. */
function sortByPrice(rows: ServiceRow[], isDearFirst: boolean): void {
  // Infinity if there is no price.
  const priceOf = ({ profile }: ServiceRow) =>
    isDearFirst ? -Math.max(...pricesOf(profile)) : Math.min(...pricesOf(profile))
  const priced = rows.map((row) => ({ row, price: priceOf(row) }))
  priced.sort((a, b) => (a.price === b.price ? 0 : a.price - b.price))
  rows.splice(0, rows.length, ...priced.map(({ row }) => row))
}

function toRow(summary: HostSummary, now: Time): ServiceRow {
  const profile = describeProfile(summary, now)
  return { profile, reason: explainRow(profile, summary, now) }
}

/** Reads the profiles of services, best first. */
export async function readServices(
  store: PageDeps['store'],
  now: Time,
  options: Omit<ListOptions, 'order'>,
): Promise<Profile[]> {
  const services: Profile[] = []
  for await (const summary of listSummaries(store, { order: 'best', ...options }, now))
    services.push(describeProfile(summary, now))
  return services
}
