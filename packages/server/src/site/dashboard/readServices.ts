import type { Profile } from '@touchstone402/shared'
import type { Time } from '../../domain/facts/facts.ts'
import { rankPrefix } from '../../domain/publish/hostIndex.ts'
import { describeProfile } from '../../domain/publish/profile.ts'
import { type ListOptions, listSummaries } from '../../readModel/listHosts.ts'
import type { PageDeps } from '../pageDeps.ts'
import type { ListView } from './listView.ts'
import type { OverviewFacts } from './readOverview.ts'

const PAGE_SIZE = 25
/** Number of pages; a page costs a pass over the keys of all before it. */
const MAX_PAGES = 400

/** One page of the list of services. */
export type ServicePage = {
  readonly services: readonly Profile[]
  readonly view: ListView
  readonly pages: number
}

/** Reads the page of the services that a view asks for, or the last one before it. */
export async function readServicePage(
  { store }: Pick<PageDeps, 'store'>,
  { hosts, hostVerdicts }: OverviewFacts,
  { verdict, page: wanted }: ListView,
  now: Time,
): Promise<ServicePage> {
  const matching = verdict === undefined ? hosts : (hostVerdicts[verdict] ?? 0)
  const pages = Math.min(MAX_PAGES, Math.max(1, Math.ceil(matching / PAGE_SIZE)))
  const page = Math.min(wanted, pages)
  const prefix = verdict === undefined ? '' : rankPrefix(verdict)
  const range = { prefix, skip: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE }
  return { services: await readServices(store, now, range), view: { verdict, page }, pages }
}

/** Reads the profiles of services, best first. */
export async function readServices(
  store: PageDeps['store'],
  now: Time,
  options: ListOptions,
): Promise<Profile[]> {
  const services: Profile[] = []
  for await (const summary of listSummaries(store, 'services', now, options))
    services.push(describeProfile(summary, now))
  return services
}
