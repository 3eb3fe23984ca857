import { Panel } from '../components/panel.tsx'
import { EndpointName, Outage } from '../components/prose.tsx'
import { Score } from '../components/score.tsx'
import { type Column, Table } from '../components/table.tsx'
import { VerdictTag } from '../components/verdictMark.tsx'
import { formatUsd, plural } from '../format.ts'
import { focusPath } from '../paths.ts'
import { cleanText } from '../text.ts'
import type { EndpointView, ProfileView } from './loadProfile.ts'

const COLUMNS: readonly Column<EndpointView>[] = [
  {
    name: 'Status',
    cell: ({ state, status }) => (
      <>
        {status}
        {state.degraded && <span class="muted">, degraded</span>}
      </>
    ),
  },
  {
    name: 'Price',
    isEnd: true,
    cell: ({ state }) => formatUsd(state.priceUsd),
  },
  {
    name: 'Uptime',
    isEnd: true,
    cell: ({ state: { uptime }, status, darkSince }) => (
      <>
        <Outage status={status} darkSince={darkSince} />
        {uptime.pct === null ? '–' : `${uptime.pct}%`}
      </>
    ),
  },
  {
    name: 'Trust',
    isEnd: true,
    share: 'half',
    class: 'trust',
    cell: ({ verdict, score }) => <Score verdict={verdict} score={score} />,
  },
  {
    name: 'Verdict',
    share: 'half',
    cell: ({ verdict }) => <VerdictTag verdict={verdict} />,
  },
]

/** The first endpoints of the host, and the number of the others. */
export function Endpoints({ view: { endpoints, shown, host } }: { view: ProfileView }) {
  const nameColumn: Column<EndpointView> = {
    name: 'Endpoint',
    cell: ({ state: { method, endpoint } }) => {
      const name = <EndpointName url={endpoint} />
      return (
        <>
          <span class="method">{cleanText(method, 12)}</span>
          {endpoints.length === 1 ? name : <a href={`${focusPath(host, endpoint)}#record`}>{name}</a>}
        </>
      )
    },
  }
  return (
    <Panel id="endpoints" title="Endpoints">
      <Table isCards scroll="Table of endpoints" rows={shown} columns={[nameColumn, ...COLUMNS]} />
      {endpoints.length > shown.length && (
        <p class="muted small">
          {plural(endpoints.length - shown.length, 'more endpoint')}: request this page as{' '}
          <code>application/json</code> for the full list.
        </p>
      )}
    </Panel>
  )
}
