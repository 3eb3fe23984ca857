import type { FlowRow, TokenDay } from '@touchstone402/shared'
import { Panel } from '../components/panel.tsx'
import { Table } from '../components/table.tsx'
import { plural } from '../format.ts'
import { formatAmount, formatChange } from './amounts.ts'
import { Party } from './party.tsx'

/** Bars for gains, and for losses. */
const SHOWN = 8
/** Length of the longest bar in view-box units. */
const LENGTH = 100

/** The panel of net flows: diverging bars with the name on the other side, and a table behind them. */
export function Flows({ day: { flow }, network }: { readonly day: TokenDay; readonly network: string }) {
  const gains = flow.topAccumulators.slice(0, SHOWN)
  // The largest loss is last, so that the bars grow towards both ends.
  const losses = flow.topDistributors.slice(0, SHOWN).reverse()
  const rows = [...gains, ...losses]
  const most = rows.reduce((most, { net }) => Math.max(most, Math.abs(Number(net.raw))), 0)
  return (
    <Panel id="flow" title="Net flow by address">
      <p class="small muted">
        What an address received less what it sent: {plural(gains.length, 'gain')} and{' '}
        {plural(losses.length, 'loss', 'losses')}, the largest among{' '}
        {plural(flow.addresses, 'address', 'addresses')}.{' '}
        {flow.sumToZero.ok
          ? 'The sum over all addresses is mints less burns.'
          : 'The sum over all addresses is not mints less burns: the figures are wrong.'}
      </p>
      {rows.length === 0 && <p class="empty">No address gained or lost.</p>}
      <ol class="flows">
        {rows.map((row) => (
          <Bar row={row} most={most} network={network} />
        ))}
      </ol>
      {rows.length > 0 && (
        <details>
          <summary>Table of net flows</summary>
          <Table
            scroll="Net flow by address"
            rows={rows}
            columns={[
              { name: 'Address', cell: (row) => <Party {...row} network={network} /> },
              { name: 'Received', isEnd: true, cell: (row) => formatAmount(row.in) },
              { name: 'Sent', isEnd: true, cell: (row) => formatAmount(row.out) },
              { name: 'Net', isEnd: true, cell: (row) => formatChange(row.net) },
              { name: 'Other sides', isEnd: true, cell: (row) => row.counterparties.toLocaleString('en-US') },
            ]}
          />
        </details>
      )}
    </Panel>
  )
}

type BarProps = { readonly row: FlowRow; readonly most: number; readonly network: string }

function Bar({ row, most, network }: BarProps) {
  const net = Number(row.net.raw)
  const length = Math.max(1, Math.round((LENGTH * Math.abs(net)) / most))
  const value = formatChange(row.net)
  return (
    <li class={net > 0 ? 'gain' : 'loss'}>
      <Party {...row} network={network} />
      <div>
        <svg viewBox={`0 0 ${LENGTH} 1`} preserveAspectRatio="none" aria-hidden="true">
          <rect x={net > 0 ? 0 : LENGTH - length} width={length} height="1">
            <title>
              {row.address}: {value}
            </title>
          </rect>
        </svg>
        {value}
      </div>
    </li>
  )
}
