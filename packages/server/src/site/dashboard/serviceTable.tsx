import { type Profile, VERDICT_LABELS, type VerdictCode } from '@touchstone402/shared'
import { HostLink } from '../components/incidentList.tsx'
import { Choices, Panel } from '../components/panel.tsx'
import { Score } from '../components/score.tsx'
import { type Column, Table } from '../components/table.tsx'
import { VerdictTag } from '../components/verdictMark.tsx'
import { type ListView, VERDICT_CODES } from './listView.ts'
import type { ServicePage } from './readServices.ts'

const COLUMNS: readonly Column<Profile>[] = [
  { name: 'Host', class: 'host', cell: ({ host }) => <HostLink host={host} /> },
  { name: 'Verdict', cell: ({ verdict }) => <VerdictTag verdict={verdict} /> },
  {
    name: 'Score',
    isEnd: true,
    class: 'trust',
    cell: ({ verdict, trustScore }) => <Score verdict={verdict} score={trustScore} />,
  },
  { name: 'Live', isEnd: true, cell: ({ liveness }) => liveness },
  { name: 'Price', cell: ({ pricePerCall }) => pricePerCall },
  { name: 'Receiver', cell: ({ receiverStability }) => receiverStability ?? '–' },
]

/** One page of the services, best first. */
export function ServiceTable({ services, view, pages }: ServicePage) {
  const { page } = view
  return (
    <Panel id="services" title="Services" extra={<Filters current={view.verdict} />}>
      <Table isCards scroll="Table of services" empty="No services yet." rows={services} columns={COLUMNS} />
      {pages > 1 && (
        <nav class="pages" aria-label="Pages">
          {page > 1 ? <a href={pageUrl(view, page - 1)}>Previous</a> : <span />}
          <span class="muted">
            {page} of {pages}
          </span>
          {page < pages ? <a href={pageUrl(view, page + 1)}>Next</a> : <span />}
        </nav>
      )}
    </Panel>
  )
}

function Filters({ current }: { current: VerdictCode | undefined }) {
  const options = [
    { href: '/#services', text: 'All', isCurrent: current === undefined },
    ...VERDICT_CODES.map((code) => ({
      href: filterUrl(code),
      text: VERDICT_LABELS[code],
      isCurrent: current === code,
    })),
  ]
  return <Choices label="Filter by verdict" options={options} />
}

/** URL of the dashboard showing only services with the given verdict. */
export function filterUrl(verdict: VerdictCode): string {
  return `/?verdict=${verdict}#services`
}

function pageUrl({ verdict }: ListView, page: number): string {
  return `/?${verdict === undefined ? '' : `verdict=${verdict}&`}page=${page}#services`
}
