import {
  FLAGS,
  type Flag,
  type Profile,
  type StatusFeed,
  VERDICT_LABELS,
  type VerdictCode,
} from '@touchstone402/shared'
import type { Time } from '../../domain/facts/facts.ts'
import type { EndpointRow, HostSummary } from '../../domain/facts/hostDocument.ts'
import { FLAG_SPECS } from '../../domain/judge/spec.ts'
import { describeProfile, WORST_FIRST } from '../../domain/publish/profile.ts'
import { type WhyHostUnknown, whyHostUnknown } from '../../domain/publish/whyUnknown.ts'
import { listHosts } from '../../readModel/listHosts.ts'
import { FLAG_NAMES } from '../components/flagNames.ts'
import { HostLink } from '../components/incidentList.tsx'
import { Choices, Pages, Panel } from '../components/panel.tsx'
import { Seller } from '../components/prose.tsx'
import { Table } from '../components/table.tsx'
import { Score, VerdictTag } from '../components/verdictMark.tsx'
import { formatDate, formatUsd } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { readPage, readParameter } from '../readParameter.ts'
import { cleanText } from '../text.ts'

const PAGE_SIZE = 25
/** Number of pages; a page costs a pass over the keys of all before it. */
const MAX_PAGES = 400
/** Number of services that a filter without an index looks at. */
const MAX_SCANNED = 1_000
const MAX_NAME = 80

/** All verdicts, best first. */
export const VERDICT_CODES = Object.keys(VERDICT_LABELS) as VerdictCode[]

const SORTS = { worst: 'Worst first', best: 'Best first', name: 'By name', cheap: 'Cheapest first' } as const
type Sort = keyof typeof SORTS

/** Part of the list of services that a page shows. */
export type ListView = {
  readonly verdict?: VerdictCode | undefined
  readonly flag?: Flag | undefined
  /** Display name of a network. */
  readonly network?: string | undefined
  readonly directory?: string | undefined
  readonly sort: Sort
  /** From 1. */
  readonly page: number
}

/** Parses a list view from a query string. Invalid values are ignored. */
export function readListView(search: string): ListView {
  const pick = <T extends string>(values: readonly T[], name: string) => {
    const text = readParameter(search, name)
    return values.find((value) => value === text)
  }
  return {
    verdict: pick(VERDICT_CODES, 'verdict'),
    flag: pick(FLAGS, 'flag'),
    network: readParameter(search, 'network')?.slice(0, MAX_NAME),
    directory: readParameter(search, 'directory')?.slice(0, MAX_NAME),
    sort: pick(Object.keys(SORTS) as Sort[], 'sort') ?? 'worst',
    page: readPage(readParameter(search, 'page')),
  }
}

/** Whether a view selects or sorts by what no index holds. */
export function isScanned({ verdict, flag, network, directory, sort }: ListView): boolean {
  const isFiltered = [flag, network, directory].some((value) => value !== undefined)
  return isFiltered || sort === 'cheap' || (sort === 'name' && verdict !== undefined)
}

/** URL of the list with some of a view changed. Another selection or order starts at its first page. */
export function viewUrl(view: ListView, changes: Partial<ListView>): string {
  const { sort, page, ...filters } = { ...view, page: 1, ...changes }
  const given = { ...filters, ...(sort !== 'worst' && { sort }), ...(page !== 1 && { page: `${page}` }) }
  const pairs = Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `/${pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`}#services`
}

/** A service, and the main reason for its verdict. */
type ServiceRow = { readonly profile: Profile; readonly reason: string }

/** One page of the list of services. */
export type ServicePage = {
  readonly services: readonly ServiceRow[]
  readonly view: ListView
  readonly pages: number
  /** Whether a filter looked at the first services alone. */
  readonly isPartial: boolean
}

/** Reads the page of the services that a view asks for, or the last one before it. @param matching number of services of its verdict */
export async function readServicePage(
  { store }: { readonly store: Pick<PageDeps['store'], 'hosts' | 'summary'> },
  matching: number,
  view: ListView,
  now: Time,
): Promise<ServicePage> {
  const readRow = async (host: string): Promise<ServiceRow[]> => {
    const summary = await store.summary(host)
    if (summary === undefined) return []
    const profile = describeProfile(summary, now)
    return [{ profile, reason: explainRow(profile, summary, now) }]
  }
  const isScan = isScanned(view)
  const countPages = (count: number) => Math.min(MAX_PAGES, Math.max(1, Math.ceil(count / PAGE_SIZE)))
  const pageOf = (count: number) => Math.min(view.page, countPages(count))
  const end = isScan ? MAX_SCANNED + 1 : pageOf(matching) * PAGE_SIZE
  const hosts: string[] = []
  for await (const host of listView(store, view, now, end)) {
    hosts.push(host)
    if (hosts.length === end) break
  }
  if (!isScan) {
    const page = pageOf(matching)
    const shown = await Promise.all(hosts.slice((page - 1) * PAGE_SIZE).map(readRow))
    return { services: shown.flat(), view: { ...view, page }, pages: countPages(matching), isPartial: false }
  }
  const found: ServiceRow[] = []
  for (const host of hosts.slice(0, MAX_SCANNED))
    found.push(...(await readRow(host)).filter(({ profile }) => matches(profile, view)))
  if (view.sort === 'cheap') {
    const leastOf = ({ profile }: ServiceRow) => Math.min(...livePrices(profile), Number.MAX_VALUE)
    found.sort((a, b) => leastOf(a) - leastOf(b))
  }
  const page = pageOf(found.length)
  return {
    services: found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE),
    view: { ...view, page },
    pages: countPages(found.length),
    isPartial: hosts.length > MAX_SCANNED,
  }
}

/** Yields the hosts of a view in its order; those of one verdict are best score first. */
async function* listView(
  store: Pick<PageDeps['store'], 'hosts'>,
  { sort, verdict }: ListView,
  now: Time,
  limit: number,
): AsyncGenerator<string> {
  if (sort === 'name') return yield* listHosts(store, { order: 'names', limit }, now)
  const order: readonly VerdictCode[] = sort === 'worst' ? WORST_FIRST : VERDICT_CODES
  for (const code of verdict === undefined ? order : [verdict])
    yield* listHosts(store, { order: 'best', verdict: code, limit }, now)
}

function matches(profile: Profile, { verdict, flag, network, directory }: ListView): boolean {
  return (
    (verdict === undefined || profile.verdict === verdict) &&
    (flag === undefined || profile.flags.includes(flag)) &&
    (network === undefined || profile.network.split(', ').includes(network)) &&
    (directory === undefined || profile.listedBy.includes(directory))
  )
}

/** Known prices that a service asks now. An endpoint that does not answer asks for nothing. */
function livePrices({ endpoints }: Profile): number[] {
  return endpoints.flatMap(({ status, priceUsd }) =>
    status === 'live' && priceUsd !== null ? [priceUsd] : [],
  )
}

function describePrice(profile: Profile): string {
  const prices = livePrices(profile)
  if (prices.length === 0) return '–'
  const [least, most] = [formatUsd(Math.min(...prices)), formatUsd(Math.max(...prices))]
  return least === most ? least : `${least}-${most}`
}

const UNKNOWN_REASONS: Readonly<Record<WhyHostUnknown, string>> = {
  declined: 'Declines probes',
  never: 'Not probed yet',
  expired: 'No recent measurement',
  elsewhere: 'Unknown network or form of payment',
  unlisted: 'Listed nowhere',
}
const RISKS = ['high', 'medium', 'low']
const SHOWN_FLAGS = 2

/** Returns the main reason for the verdict on a host, in a few words. */
export function explainRow(profile: Profile, { endpoints }: HostSummary, now: Time): string {
  const { verdict, flags, darkSince, receiverStability } = profile
  if (verdict === 'unknown') return UNKNOWN_REASONS[whyHostUnknown(endpoints, now)]
  if (darkSince !== null) {
    const outage = describeOutage(darkSince, endpoints)
    return outage.charAt(0).toUpperCase() + outage.slice(1)
  }
  const worst = flags
    .toSorted((a, b) => RISKS.indexOf(FLAG_SPECS[a].risk) - RISKS.indexOf(FLAG_SPECS[b].risk))
    .slice(0, SHOWN_FLAGS)
    .map((flag) => FLAG_NAMES[flag])
  if (worst.length > 0) return worst.join(', ')
  if (verdict === 'safe') return receiverStability === 'stable' ? 'Receiver stable' : 'Receiver new'
  return endpoints.some(({ doubtful }) => doubtful)
    ? 'Recent probes failed or were refused'
    : 'Little evidence'
}

/** Says since when a host is out: `dark since 18 Nov 2026`; `invalid` if it answers without a valid challenge. */
export function describeOutage(darkSince: string, endpoints: readonly Pick<EndpointRow, 'status'>[]): string {
  const status = endpoints.some((endpoint) => endpoint.status === 'dark') ? 'dark' : 'invalid'
  return `${status} since ${formatDate(Date.parse(darkSince))}`
}

type ServicesProps = ServicePage & {
  readonly status: Pick<StatusFeed, 'security' | 'catalogAudit'>
  readonly hosts: number
  readonly hostVerdicts: Readonly<Partial<Record<VerdictCode, number>>>
}

/** One page of the services, with links that filter and sort them. */
export function Services({ services, view, pages, isPartial, status, hosts, hostVerdicts }: ServicesProps) {
  const verdicts = [undefined, ...WORST_FIRST].map((verdict) =>
    verdict === undefined
      ? { href: viewUrl(view, { verdict }), text: `All ${hosts}`, isCurrent: view.verdict === undefined }
      : choose(view, { verdict }, `${VERDICT_LABELS[verdict]} ${hostVerdicts[verdict] ?? 0}`),
  )
  return (
    <Panel id="services" title="Services" extra={<Choices label="Filter by verdict" options={verdicts} />}>
      <Filters view={view} services={services} status={status} />
      <Table
        isCards
        scroll="Table of services"
        empty={
          hosts === 0 ? 'No services yet: they appear once a directory was read.' : 'No service matches.'
        }
        rows={services}
        columns={[
          { name: 'Service', class: 'host', cell: ({ profile }) => <HostLink host={profile.host} /> },
          { name: 'Verdict', share: 'half', cell: ({ profile }) => <VerdictTag verdict={profile.verdict} /> },
          {
            name: 'Score',
            isEnd: true,
            share: 'half',
            class: 'trust',
            cell: ({ profile: { verdict, trustScore } }) => <Score verdict={verdict} score={trustScore} />,
          },
          { name: 'Why', share: 'whole', cell: ({ reason }) => reason },
          { name: 'Price', isEnd: true, share: 'half', cell: ({ profile }) => describePrice(profile) },
          { name: 'Uptime', share: 'half', cell: ({ profile }) => profile.uptime },
        ]}
      />
      {isPartial && (
        <p class="small muted">
          Searched the first {MAX_SCANNED.toLocaleString('en-US')} services in this order.
        </p>
      )}
      <Pages page={view.page} pages={pages} urlOf={(page) => viewUrl(view, { page })} />
    </Panel>
  )
}

/** Order and further filters, open where one is set. */
function Filters({ view, services, status }: Pick<ServicesProps, 'view' | 'services' | 'status'>) {
  const { flagCounts } = status.security
  const flags = FLAGS.filter((flag) => (flagCounts[flag] ?? 0) > 0 || flag === view.flag)
  const networks = new Set(
    services.flatMap(({ profile }) => profile.network.split(', ')).filter((name) => name !== ''),
  )
  if (view.network !== undefined) networks.add(view.network)
  const rows = {
    Sort: (Object.keys(SORTS) as Sort[]).map((sort) => choose(view, { sort }, SORTS[sort])),
    Flag: flags
      .toSorted((a, b) => (flagCounts[b] ?? 0) - (flagCounts[a] ?? 0))
      .map((flag) => choose(view, { flag }, FLAG_NAMES[flag])),
    Network: [...networks].sort().map((network) => choose(view, { network }, cleanText(network, 40))),
    Directory: status.catalogAudit.map(({ directory }) =>
      choose(view, { directory }, cleanText(directory, 40)),
    ),
  }
  return (
    <details class="more" open={isScanned(view) || view.sort !== 'worst'}>
      <summary>Sort and filter</summary>
      {Object.entries(rows).map(
        ([name, options]) =>
          options.length > 0 && (
            <div class="filter">
              <span class="muted small">{name}</span>
              <Choices label={`${name} of services`} options={options} />
            </div>
          ),
      )}
    </details>
  )
}

/** A choice of one filter; the current one leads back to no filter. */
function choose(view: ListView, change: Partial<ListView>, text: string) {
  const [[name = '', value] = []] = Object.entries(change)
  const isCurrent = view[name as keyof ListView] === value
  const isOff = isCurrent && name !== 'sort'
  return {
    href: viewUrl(view, isOff ? { [name]: undefined } : change),
    text: <Seller text={text} />,
    isCurrent,
  }
}
