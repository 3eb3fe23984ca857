import { Panel } from '../components/panel.tsx'
import { EndpointName, Outage } from '../components/prose.tsx'
import { Score } from '../components/score.tsx'
import { type Column, Table } from '../components/table.tsx'
import { VerdictTag } from '../components/verdictMark.tsx'
import { formatUsd, plural } from '../format.ts'
import { focusPath } from '../paths.ts'
import { cleanText } from '../text.ts'
import type { EndpointView, ProfileView } from './loadProfile.ts'

const SHOWN = 40

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
  { name: 'Price', isEnd: true, cell: ({ state }) => formatUsd(state.priceUsd) },
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
    class: 'trust',
    cell: ({ verdict, score }) => <Score verdict={verdict} score={score} />,
  },
  { name: 'Verdict', cell: ({ verdict }) => <VerdictTag verdict={verdict} /> },
]

/** The endpoints of the host, cut at 40. */
export function Endpoints({ view: { endpoints, host } }: { view: ProfileView }) {
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
      <Table
        isCards
        scroll="Table of endpoints"
        rows={endpoints.slice(0, SHOWN)}
        columns={[nameColumn, ...COLUMNS]}
      />
      {endpoints.length > SHOWN && (
        <p class="muted small">
          {plural(endpoints.length - SHOWN, 'more endpoint')}: request this page as{' '}
          <code>application/json</code> for the full list.
        </p>
      )}
    </Panel>
  )
}
