import { type StatusFeed, VERDICT_LABELS } from '@touchstone402/shared'
import type { Time } from '../../domain/facts/facts.ts'
import { WORST_FIRST } from '../../domain/publish/profile.ts'
import { FLAG_NAMES } from '../components/flagNames.ts'
import { HostLink } from '../components/incidentList.tsx'
import { Choices, Pages, Panel } from '../components/panel.tsx'
import { Day, Seller } from '../components/prose.tsx'
import { Score } from '../components/score.tsx'
import { type Column, Table } from '../components/table.tsx'
import { VerdictTag } from '../components/verdictMark.tsx'
import { cleanText } from '../text.ts'
import {
  isByPrice,
  isFiltered,
  type ListView,
  PRICE_RANGES,
  type PriceRange,
  SORTS,
  type Sort,
  viewUrl,
} from './listView.ts'
import type { OverviewFacts } from './readOverview.ts'
import type { ServicePage, ServiceRow } from './readServices.ts'

const COLUMNS: readonly Column<ServiceRow>[] = [
  {
    name: 'Service',
    class: 'host',
    cell: ({ profile }) => <HostLink host={profile.host} />,
  },
  {
    name: 'Verdict',
    share: 'half',
    cell: ({ profile }) => <VerdictTag verdict={profile.verdict} />,
  },
  {
    name: 'Score',
    isEnd: true,
    share: 'half',
    class: 'trust',
    cell: ({ profile: { verdict, trustScore } }) => <Score verdict={verdict} score={trustScore} />,
  },
  { name: 'Why', share: 'whole', cell: ({ reason }) => reason },
  { name: 'Live', isEnd: true, cell: ({ profile }) => profile.liveness },
  { name: 'Price', isEnd: true, cell: ({ profile }) => profile.pricePerCall },
  {
    name: 'Checked',
    isEnd: true,
    cell: ({ profile: { lastChecked } }) => (lastChecked === null ? '–' : <Day at={lastChecked} />),
  },
]

type TableProps = ServicePage & { readonly overview: OverviewFacts; readonly now: Time }

/** One page of the services, with links that filter and sort them. */
export function ServiceTable({ services, view, pages, scanned, overview }: TableProps) {
  const { page } = view
  const isAll = view.verdict === undefined && !isFiltered(view)
  return (
    <Panel id="services" title="Services" extra={<Verdicts view={view} overview={overview} />}>
      <More view={view} services={services} status={overview.status} />
      <Table
        isCards
        scroll="Table of services"
        empty={isAll ? 'No services yet: they appear once a directory was read.' : 'No service matches.'}
        rows={services}
        columns={COLUMNS}
      />
      {scanned !== undefined && (
        <p class="small muted">
          {isByPrice(view)
            ? `Prices of the ${scanned.toLocaleString('en-US')} services with the best verdicts.`
            : `Searched the first ${scanned.toLocaleString('en-US')} services in this order.`}
        </p>
      )}
      <Pages page={page} pages={pages} urlOf={(other) => viewUrl(view, { page: other })} />
    </Panel>
  )
}

function Verdicts({ view, overview: { hosts, hostVerdicts } }: { view: ListView; overview: OverviewFacts }) {
  const options = [
    {
      href: viewUrl(view, { verdict: undefined }),
      text: `All ${hosts}`,
      isCurrent: view.verdict === undefined,
    },
    ...WORST_FIRST.map((code) => ({
      href: viewUrl(view, { verdict: code }),
      text: `${VERDICT_LABELS[code]} ${hostVerdicts[code] ?? 0}`,
      isCurrent: view.verdict === code,
    })),
  ]
  return <Choices label="Filter by verdict" options={options} />
}

type MoreProps = {
  readonly view: ListView
  readonly services: readonly ServiceRow[]
  readonly status: OverviewFacts['status']
}

/** Order and further filters, open where one is set. */
function More({ view, services, status }: MoreProps) {
  const networks = new Set(
    services.flatMap(({ profile }) => (profile.network === '' ? [] : profile.network.split(', '))),
  )
  if (view.network !== undefined) networks.add(view.network)
  const sorts = Object.entries(SORTS) as [Sort, string][]
  const prices = Object.entries(PRICE_RANGES) as [PriceRange, (typeof PRICE_RANGES)[PriceRange]][]
  return (
    <details class="more" open={isFiltered(view) || view.sort !== 'worst'}>
      <summary>Sort and filter</summary>
      <Row name="Sort" options={sorts.map(([sort, text]) => choice(view, { sort }, text))} />
      <Row
        name="Flag"
        options={listFlags(view, status).map((flag) => choice(view, { flag }, FLAG_NAMES[flag]))}
      />
      <Row
        name="Network"
        options={[...networks].sort().map((network) => choice(view, { network }, cleanText(network, 40)))}
      />
      <Row name="Price" options={prices.map(([price, { text }]) => choice(view, { price }, text))} />
      <Row
        name="Directory"
        options={status.catalogAudit.map(({ directory }) =>
          choice(view, { directory }, cleanText(directory, 40)),
        )}
      />
    </details>
  )
}

/** A choice of one filter; the current one leads back to no filter. */
function choice(view: ListView, changes: Partial<ListView>, text: string) {
  const [[name, value] = ['', '']] = Object.entries(changes)
  const isCurrent = view[name as keyof ListView] === value
  const isOff = isCurrent && name !== 'sort'
  return {
    href: viewUrl(view, isOff ? { [name]: undefined } : changes),
    text: <Seller text={text} />,
    isCurrent,
  }
}

function listFlags({ flag }: ListView, { security }: Pick<StatusFeed, 'security'>) {
  const raised = (Object.keys(FLAG_NAMES) as (keyof typeof FLAG_NAMES)[]).filter(
    (name) => (security.flagCounts[name] ?? 0) > 0 || name === flag,
  )
  return raised.sort((a, b) => (security.flagCounts[b] ?? 0) - (security.flagCounts[a] ?? 0))
}

function Row({
  name,
  options,
}: {
  readonly name: string
  readonly options: Parameters<typeof Choices>[0]['options']
}) {
  if (options.length === 0) return null
  return (
    <div class="filter">
      <span class="muted small">{name}</span>
      <Choices label={`${name} of services`} options={options} />
    </div>
  )
}
