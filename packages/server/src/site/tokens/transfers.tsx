import type { TokenDay } from '@touchstone402/shared'
import { Panel } from '../components/panel.tsx'
import { Address, Moment, OutLink } from '../components/prose.tsx'
import { Table } from '../components/table.tsx'
import { plural } from '../format.ts'
import { shortenAddress } from '../text.ts'
import { formatAmount, unitOf } from './amounts.ts'
import { Party } from './party.tsx'

const SHOWN = 15

/** The panel of the largest transfers. */
export function LargestTransfers({ day, network }: { readonly day: TokenDay; readonly network: string }) {
  const { whales } = day
  const rows = whales.rows.slice(0, SHOWN)
  const { matched, threshold } = whales
  const unit = unitOf(whales.token)
  return (
    <Panel id="transfers" title="Largest transfers">
      <p class="small muted">
        {plural(matched, 'transfer')} of {formatAmount(threshold)} {unit} or more
        {matched > rows.length && `, of which ${rows.length} are shown`}. {threshold.statement}
      </p>
      <Table
        scroll="Largest transfers"
        rows={rows}
        empty="No transfers."
        columns={[
          { name: 'Time', cell: ({ time }) => <Moment at={time} /> },
          { name: `Amount (${unit})`, isEnd: true, share: 'half', cell: formatAmount },
          {
            name: 'Transaction',
            share: 'half',
            cell: ({ txHash, explorerUrl }) =>
              explorerUrl === null ? (
                <Address value={txHash} />
              ) : (
                <OutLink href={explorerUrl}>
                  <code title={txHash}>{shortenAddress(txHash)}</code>
                </OutLink>
              ),
          },
          { name: 'From', share: 'half', cell: ({ from }) => <Party {...from} network={network} /> },
          { name: 'To', share: 'half', cell: ({ to }) => <Party {...to} network={network} /> },
        ]}
      />
    </Panel>
  )
}
