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
import { type WhyUnknown, whyHostUnknown } from '../../domain/publish/whyUnknown.ts'
import { listHosts } from '../../readModel/listHosts.ts'
import { FLAG_NAMES } from '../components/flagNames.ts'
import { HostLink } from '../components/incidentList.tsx'
import { Choices, Pages, Panel } from '../components/panel.tsx'
import { Table } from '../components/table.tsx'
import { Score, VerdictTag } from '../components/verdictMark.tsx'
import { formatDate } from '../format.ts'
import type { PageDeps } from '../pageDeps.ts'
import { readPage, readParameter } from '../readParameter.ts'

const PAGE_SIZE = 25
/** Number of pages; a page costs a pass over the keys of all before it. */
const MAX_PAGES = 400
/** Number of services that a choice of a flag, which has no index, reads. */
const MAX_SCANNED = 1_000

const SORTS = { worst: 'Worst first', best: 'Best first', name: 'By name' } as const
type Sort = keyof typeof SORTS

/** Part of the list of services that a page shows. */
export type ListView = {
  readonly verdict?: VerdictCode | undefined
  readonly flag?: Flag | undefined
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
    verdict: pick(WORST_FIRST, 'verdict'),
    flag: pick(FLAGS, 'flag'),
    sort: pick(Object.keys(SORTS) as Sort[], 'sort') ?? 'worst',
    page: readPage(readParameter(search, 'page')),
  }
}

/** URL of the list with some of a view changed. Another selection or order starts at its first page. */
export function viewUrl(view: ListView, changes: Partial<ListView>): string {
  const { verdict, flag, sort, page } = { ...view, page: 1, ...changes }
  const query = new URLSearchParams({
    ...(verdict && { verdict }),
    ...(flag && { flag }),
    ...(sort !== 'worst' && { sort }),
    ...(page !== 1 && { page: `${page}` }),
  })
  return `/${query.size === 0 ? '' : `?${query}`}#services`
}

/** A service, and the main reason for its verdict. */
type ServiceRow = { readonly profile: Profile; readonly reason: string }

/** One page of the list of services. */
export type ServicePage = {
  readonly services: readonly ServiceRow[]
  readonly view: ListView
  readonly pages: number
  /** Whether only the first services were read. */
  readonly isPartial: boolean
}

/** Reads the page of the services that a view asks for, or the last one before it. @param matching number of services of its verdict */
export async function readServicePage(
  { store }: { readonly store: Pick<PageDeps['store'], 'hosts' | 'summary'> },
  matching: number,
  view: ListView,
  now: Time,
): Promise<ServicePage> {
  const { flag } = view
  const countPages = (count: number) => Math.min(MAX_PAGES, Math.max(1, Math.ceil(count / PAGE_SIZE)))
  const placeOf = (count: number) => Math.min(view.page, countPages(count)) * PAGE_SIZE
  const end = flag === undefined ? placeOf(matching) : MAX_SCANNED
  const hosts: string[] = []
  for await (const host of listView(store, view, now, end)) if (hosts.push(host) === end) break
  const found: ServiceRow[] = []
  for (const host of flag === undefined ? hosts.slice(end - PAGE_SIZE) : hosts) {
    const summary = await store.summary(host)
    const profile = summary && describeProfile(summary, now)
    if (profile && (flag === undefined || profile.flags.includes(flag)))
      found.push({ profile, reason: explainRow(profile, summary, now) })
  }
  const total = flag === undefined ? matching : found.length
  const place = placeOf(total)
  return {
    services: flag === undefined ? found : found.slice(place - PAGE_SIZE, place),
    view: { ...view, page: place / PAGE_SIZE },
    pages: countPages(total),
    isPartial: hosts.length === MAX_SCANNED && flag !== undefined,
  }
}

/** Yields the hosts of a view in its order; those of one verdict are best score first. */
async function* listView(
  store: Pick<PageDeps['store'], 'hosts'>,
  { sort, verdict }: ListView,
  now: Time,
  limit: number,
): AsyncGenerator<string> {
  const order = sort === 'name' ? 'names' : 'best'
  const isOneList = sort !== 'worst' || verdict !== undefined
  for (const code of isOneList ? [verdict] : WORST_FIRST)
    yield* listHosts(store, { order, ...(code && { verdict: code }), limit }, now)
}

const UNKNOWN_REASONS: Readonly<Record<WhyUnknown, string>> = {
  declined: 'Declines probes',
  never: 'Not probed yet',
  expired: 'No recent measurement',
  elsewhere: 'Unknown network or form of payment',
}
const RISKS = ['high', 'medium', 'low']
const SHOWN_FLAGS = 2

/** Returns the main reason for the verdict on a host, in a few words. */
function explainRow(profile: Profile, { endpoints }: HostSummary, now: Time): string {
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
  readonly status: Pick<StatusFeed, 'security'>
  readonly hosts: number
  readonly hostVerdicts: Readonly<Partial<Record<VerdictCode, number>>>
}

/** One page of the services, with links that filter and sort them. */
export function Services({ services, view, pages, isPartial, status, hosts, hostVerdicts }: ServicesProps) {
  const choose = (text: string, isCurrent: boolean, change: Partial<ListView>) => ({
    ...{ text, isCurrent },
    href: viewUrl(view, change),
  })
  const verdicts = WORST_FIRST.map((verdict) =>
    choose(`${VERDICT_LABELS[verdict]} ${hostVerdicts[verdict] ?? 0}`, view.verdict === verdict, { verdict }),
  )
  const sorts = (Object.keys(SORTS) as Sort[]).map((sort) =>
    choose(SORTS[sort], view.sort === sort, { sort }),
  )
  const { flagCounts } = status.security
  const flags = FLAGS.filter((flag) => (flagCounts[flag] ?? 0) > 0 || flag === view.flag)
    .toSorted((a, b) => (flagCounts[b] ?? 0) - (flagCounts[a] ?? 0))
    .map((flag) => choose(FLAG_NAMES[flag], view.flag === flag, { flag }))
  const all = choose(`All ${hosts}`, view.verdict === undefined, { verdict: undefined })
  const any = choose('Any', view.flag === undefined, { flag: undefined })
  return (
    <Panel
      id="services"
      title="Services"
      extra={<Choices label="Filter by verdict" options={[all, ...verdicts]} />}
    >
      <details class="more" open={view.flag !== undefined || view.sort !== 'worst'}>
        <summary>Sort and filter</summary>
        <Choices label="Order of services" options={sorts} />
        <Choices label="What is wrong" options={[any, ...flags]} />
      </details>
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

/** Price that a service asks now. A service without a live endpoint asks for nothing. */
function describePrice({ liveness, pricePerCall }: Profile): string {
  return liveness.startsWith('0/') || pricePerCall === 'unknown' ? '–' : pricePerCall
}
