import { type EndpointRow, STATUSES, type Status } from '@touchstone402/shared'
import { WORST_FIRST } from '../../publish/profile.ts'
import { Choices, Pages, Panel } from '../components/panel.tsx'
import { EndpointName } from '../components/prose.tsx'
import { type Column, Table } from '../components/table.tsx'
import { VerdictTag } from '../components/verdictMark.tsx'
import { formatUsd, plural } from '../format.ts'
import { profilePath, withQuery } from '../paths.ts'
import { readPage, readParameter } from '../readParameter.ts'
import { cutMiddle } from '../text.ts'

const PAGE_SIZE = 50
const MAX_URL = 72

const SORTS = ['verdict', 'endpoint', 'method', 'status', 'price', 'uptime', 'trust'] as const
type Sort = (typeof SORTS)[number]

/** The part of a host's endpoints that a page shows. */
export type EndpointsView = {
  /** @default verdict, worst first */
  readonly sort?: Sort | undefined
  /** @default all */
  readonly status?: Status | undefined
  /** From 1. */
  readonly page: number
}

/** Parses a view of the endpoints from a query string. Invalid values are ignored. */
export function readEndpointsView(search: string): EndpointsView {
  const pick = <T extends string>(name: string, values: readonly T[]) =>
    values.find((value) => value === readParameter(search, name))
  return {
    sort: pick('sort', SORTS),
    status: pick('status', STATUSES),
    page: readPage(readParameter(search, 'page')),
  }
}

type Order = (a: EndpointRow, b: EndpointRow) => number
const byName: Order = (a, b) => a.endpoint.localeCompare(b.endpoint)
const byNumber =
  (of: (row: EndpointRow) => number | null): Order =>
  (a, b) =>
    (of(b) ?? -1) - (of(a) ?? -1)

/** Orders of the rows. Numbers go from the highest down, and what is not known last. */
const ORDERS: Readonly<Record<Sort, Order>> = {
  verdict: (a, b) => WORST_FIRST.indexOf(a.verdict) - WORST_FIRST.indexOf(b.verdict),
  endpoint: byName,
  method: (a, b) => a.method.localeCompare(b.method),
  status: (a, b) => STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status),
  price: byNumber(({ priceUsd }) => priceUsd),
  uptime: byNumber(({ uptimePct }) => uptimePct),
  trust: byNumber(({ trust }) => trust),
}

type EndpointsProps = {
  readonly host: string
  readonly rows: readonly EndpointRow[]
  readonly view: EndpointsView
  /** URL of the endpoint whose record the page shows. */
  readonly focus: string
}

/** One page of the endpoints of a host, with links that sort and filter them and put one in focus. */
export function Endpoints({ host, rows, view, focus }: EndpointsProps) {
  const { sort = 'verdict', status } = view
  const urlOf = (changes: Partial<EndpointsView> & { readonly endpoint?: string }) => {
    const { page = 1, ...query } = { ...view, page: 1, endpoint: focus, ...changes }
    return `${withQuery(profilePath(host), { ...query, page: page > 1 ? `${page}` : undefined })}#endpoints`
  }
  const matching = rows.filter((row) => status === undefined || row.status === status)
  const sorted = matching.toSorted((a, b) => ORDERS[sort](a, b) || byName(a, b))
  const pages = Math.max(1, Math.ceil(sorted.length / PAGE_SIZE))
  const page = Math.min(view.page, pages)
  const count = (one: Status) => rows.filter((row) => row.status === one).length
  const statuses = STATUSES.filter((one) => count(one) > 0)
  const column = (name: string, by: Sort, cell: Column<EndpointRow>['cell'], isEnd = false) => ({
    name,
    isEnd,
    cell,
    sort: { href: urlOf({ sort: by }), isCurrent: by === sort },
  })
  return (
    <Panel
      id="endpoints"
      title="Endpoints"
      extra={<span class="muted small">{plural(rows.length, 'endpoint')}</span>}
    >
      {statuses.length > 1 && (
        <Choices
          label="Filter by status"
          options={[undefined, ...statuses].map((one) => ({
            href: urlOf({ status: one }),
            text: one === undefined ? `All ${rows.length}` : `${one} ${count(one)}`,
            isCurrent: one === status,
          }))}
        />
      )}
      <Table
        class="endpoints"
        scroll="Table of endpoints"
        empty="No endpoint has this status."
        rows={sorted.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)}
        columns={[
          column('Endpoint', 'endpoint', ({ endpoint }) => (
            <a
              href={urlOf({ ...view, endpoint })}
              title={endpoint}
              {...(rows.length > 1 && endpoint === focus && { 'aria-current': 'true' as const })}
            >
              <EndpointName url={cutMiddle(endpoint, MAX_URL)} />
            </a>
          )),
          column('Method', 'method', ({ method }) => method),
          column('Status', 'status', ({ status, darkSince }) =>
            darkSince === null ? status : `${status} since ${darkSince.slice(0, 10)}`,
          ),
          column('Price', 'price', ({ priceUsd }) => formatUsd(priceUsd), true),
          column('Uptime', 'uptime', showUptime, true),
          column('Trust', 'trust', ({ trust }) => <Trust trust={trust} />, true),
          column('Verdict', 'verdict', ({ verdict }) => <VerdictTag verdict={verdict} />),
        ]}
      />
      <Pages page={page} pages={pages} urlOf={(number) => urlOf({ page: number })} />
    </Panel>
  )
}

const showUptime = ({ uptimePct, probes }: EndpointRow) =>
  uptimePct === null ? <small>too few ({probes})</small> : `${uptimePct}%`

/** The trust score of an endpoint, as a number and a bar. */
function Trust({ trust }: Pick<EndpointRow, 'trust'>) {
  if (trust === null) return '–'
  return (
    <>
      <meter min={0} max={100} value={trust} aria-hidden="true" /> {trust}
    </>
  )
}
