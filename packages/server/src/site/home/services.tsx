import {
  FLAG_RECORDS,
  FLAGS,
  type Flag,
  type Profile,
  VERDICT_LABELS,
  type VerdictCode,
} from '@touchstone402/shared'
import type { Time } from '../../facts/facts.ts'
import type { EndpointRow, HostSummary } from '../../facts/hostDocument.ts'
import { describeProfile, WORST_FIRST } from '../../publish/profile.ts'
import type { Tally } from '../../publish/tally.ts'
import { type WhyUnknown, whyHostUnknown } from '../../publish/whyUnknown.ts'
import { countHosts, readHosts } from '../../store/hosts.ts'
import { readEach } from '../../store/listHosts.ts'
import type { Store } from '../../store/store.ts'
import { HostLink } from '../components/incidentList.tsx'
import { Choices, Pages, Panel } from '../components/panel.tsx'
import { Table } from '../components/table.tsx'
import { shownScore, VerdictTag } from '../components/verdictMark.tsx'
import { plural } from '../format.ts'
import { withQuery } from '../paths.ts'
import { readPage, readParameter } from '../readParameter.ts'

const PAGE_SIZE = 25
/** Number of pages; a page costs a pass over the keys of all before it. */
const MAX_PAGES = 400
/** Number of services that a choice of a flag, which has no index, reads. */
const MAX_SCANNED = 1_000
const SHOWN_FLAGS = 2

/** Part of the list of services that a page shows. */
export type ListView = {
  /** @default all */
  readonly verdict?: VerdictCode | undefined
  /** @default all */
  readonly flag?: Flag | undefined
  /** @default worst first */
  readonly sort?: 'best' | 'name' | undefined
  /** From 1. */
  readonly page: number
}

/** Parses a list view from a query string. Invalid values are ignored. */
export function readListView(search: string): ListView {
  const pick = <T extends string>(name: string, values: readonly T[]) => {
    const text = readParameter(search, name)
    return values.find((value) => value === text)
  }
  return {
    verdict: pick('verdict', WORST_FIRST),
    flag: pick('flag', FLAGS),
    sort: pick('sort', ['best', 'name']),
    page: readPage(readParameter(search, 'page')),
  }
}

/** URL of the list with some of a view changed. Another selection or order starts at its first page. */
export function viewUrl(view: ListView, { page, ...changes }: Partial<ListView>): string {
  return `${withQuery('/', { ...view, ...changes, page: page?.toString() })}#services`
}

type Lists = { readonly store: Store }

/** Reads the page of the services that a view asks for, or the last one before it. @param matching number of services of its verdict */
export async function readServicePage({ store }: Lists, matching: number, view: ListView, now: Time) {
  const { flag } = view
  const countPages = (count: number) => Math.min(MAX_PAGES, Math.max(1, Math.ceil(count / PAGE_SIZE)))
  const endOf = (count: number) => Math.min(view.page, countPages(count)) * PAGE_SIZE
  const part =
    flag === undefined
      ? { skip: endOf(matching) - PAGE_SIZE, limit: PAGE_SIZE }
      : { skip: 0, limit: MAX_SCANNED }
  const hosts = await listView({ store }, view, part, now)
  const found = []
  for await (const summary of readEach(store, hosts)) {
    const profile = describeProfile(summary, now)
    if (flag === undefined || profile.flags.includes(flag))
      found.push({ ...profile, reason: explainRow(profile, summary, now) })
  }
  const total = flag === undefined ? matching : found.length
  const end = endOf(total)
  return {
    services: flag === undefined ? found : found.slice(end - PAGE_SIZE, end),
    view: { ...view, page: end / PAGE_SIZE },
    pages: countPages(total),
    isPartial: flag !== undefined && hosts.length === MAX_SCANNED,
  }
}

/** Reads the names of the hosts of a part of a view in its order; those of one verdict are best score first. */
async function listView(
  { store }: Lists,
  { sort, verdict }: ListView,
  { skip, limit }: { readonly skip: number; readonly limit: number },
  now: Time,
): Promise<string[]> {
  const order = sort === 'name' ? 'names' : 'best'
  const isOneList = sort !== undefined || verdict !== undefined
  const hosts: string[] = []
  let left = skip
  for (const code of isOneList ? [verdict] : WORST_FIRST) {
    const part = { order, ...(code && { verdict: code }), skip: left, limit: limit - hosts.length } as const
    const found = await readHosts(store, part, now)
    hosts.push(...found)
    if (hosts.length === limit) break
    // Where none was found, all hosts of the verdict are before the part.
    left = found.length > 0 || code === undefined ? 0 : Math.max(0, left - (await countHosts(store, code)))
  }
  return hosts
}

const UNKNOWN_REASONS: Readonly<Record<WhyUnknown, string>> = {
  declined: 'Declines probes',
  unread: 'Documents not read',
  never: 'Not probed yet',
  expired: 'No recent measurement',
  elsewhere: 'Unknown network or form of payment',
}

/** Returns the main reason for the verdict on a host, in a few words. */
function explainRow(profile: Profile, { endpoints }: HostSummary, now: Time): string {
  const { verdict, flags, darkSince, receiverStability } = profile
  if (verdict === 'unknown') return UNKNOWN_REASONS[whyHostUnknown(endpoints, now)]
  if (darkSince !== null)
    return describeOutage(darkSince, endpoints).replace(/^./, (letter) => letter.toUpperCase())
  // The list of all flags begins with the mildest.
  const worst = FLAGS.filter((flag) => flags.includes(flag))
    .slice(-SHOWN_FLAGS)
    .reverse()
  if (worst.length > 0) return worst.map((flag) => FLAG_RECORDS[flag].name).join(', ')
  if (verdict === 'safe') return receiverStability === 'stable' ? 'Receiver stable' : 'Receiver new'
  return endpoints.some(({ doubtful }) => doubtful)
    ? 'Recent probes failed or were refused'
    : 'Little evidence'
}

/** Describes since when a host is out: `dark since 2026-11-18`; `invalid` if it answers without a valid challenge. */
export function describeOutage(darkSince: string, endpoints: readonly Pick<EndpointRow, 'status'>[]): string {
  const status = endpoints.some((endpoint) => endpoint.status === 'dark') ? 'dark' : 'invalid'
  return `${status} since ${darkSince.slice(0, 10)}`
}

type ServicesProps = Awaited<ReturnType<typeof readServicePage>> & { readonly tally: Tally }

/** One page of the services, with links that filter and sort them. */
export function Services({ services, view, pages, isPartial, tally }: ServicesProps) {
  const { hosts, hostVerdicts, risks } = tally
  const choose = <Name extends 'verdict' | 'sort' | 'flag'>(
    name: Name,
    value: ListView[Name],
    text: string,
  ) => ({
    href: viewUrl(view, { [name]: value }),
    text,
    isCurrent: view[name] === value,
  })
  const verdicts = WORST_FIRST.map((code) =>
    choose('verdict', code, `${VERDICT_LABELS[code]} ${hostVerdicts[code] ?? 0}`),
  )
  const flags = FLAGS.filter((flag) => risks.byFlag[flag] || flag === view.flag)
    .map((flag) => choose('flag', flag, FLAG_RECORDS[flag].name))
    .reverse()
  const sorts = [
    choose('sort', undefined, 'Worst first'),
    choose('sort', 'best', 'Best first'),
    choose('sort', 'name', 'By name'),
  ]
  const all = choose('verdict', undefined, `All ${hosts}`)
  return (
    <Panel id="services" title="Services">
      <Choices label="Filter by verdict" options={[all, ...verdicts]} />
      <details open={view.flag !== undefined || view.sort !== undefined}>
        <summary>Sort and filter</summary>
        <Choices label="Order of services" options={sorts} />
        <Choices label="What is wrong" options={[choose('flag', undefined, 'Any'), ...flags]} />
      </details>
      <Table
        scroll="Table of services"
        empty="No service yet, or none matches."
        rows={services}
        columns={[
          { name: 'Service', cell: ({ host }) => <HostLink host={host} /> },
          { name: 'Verdict', share: 'half', cell: ({ verdict }) => <VerdictTag verdict={verdict} /> },
          {
            name: 'Score',
            isEnd: true,
            share: 'half',
            cell: ({ verdict, trustScore: score }) => shownScore({ verdict, score }) ?? '–',
          },
          { name: 'Why', share: 'whole', cell: ({ reason }) => reason },
          { name: 'Price', isEnd: true, share: 'half', cell: describePrice },
          { name: 'Uptime', share: 'half', cell: ({ uptime }) => uptime },
        ]}
      />
      {isPartial && (
        <p class="small muted">Searched: the first {plural(MAX_SCANNED, 'service')} in this order.</p>
      )}
      <Pages page={view.page} pages={pages} urlOf={(page) => viewUrl(view, { page })} />
    </Panel>
  )
}

/** Price that a service asks now. A service without a live endpoint asks for nothing. */
const describePrice = ({ liveness, pricePerCall }: Profile) =>
  liveness.startsWith('0/') || pricePerCall === 'unknown' ? '–' : pricePerCall
