import { HOST_DIRECTORY } from '../../facts/facts.ts'
import { describeEcosystem } from '../../publish/catalog.ts'
import type { Tally } from '../../publish/tally.ts'
import { Panel } from '../components/panel.tsx'
import { Seller } from '../components/prose.tsx'
import { Table } from '../components/table.tsx'
import { reportPath } from '../paths.ts'

/** How many of the endpoints in each directory are live: the figures of `catalogAudit` in `/status.json`. */
export function Directories({ tally }: { readonly tally: Tally }) {
  const { tracked, live, dead, invalid, unmeasured } = describeEcosystem(tally.statuses)
  return (
    <Panel
      id="directories"
      title="Directory accuracy"
      extra={<a href={`${reportPath()}#directories`}>Over time</a>}
    >
      <p class="small muted">
        {tracked.toLocaleString('en-US')} endpoints: {live} live, {dead} dark, {invalid} invalid, {unmeasured}{' '}
        not measured. Accuracy is the live share of the listed ones that were measured.
      </p>
      <Table
        scroll="Table of directories"
        empty="No directory was read yet."
        rows={tally.directories}
        columns={[
          { name: 'Directory', cell: ({ directory }) => <Seller text={nameOf(directory)} max={40} /> },
          { name: 'Listed', isEnd: true, cell: ({ listed }) => listed.toLocaleString('en-US') },
          { name: 'Live', isEnd: true, cell: ({ working }) => working.toLocaleString('en-US') },
          {
            name: 'Accuracy',
            isEnd: true,
            cell: ({ accuracyPct }) => (accuracyPct === null ? 'not measured' : `${accuracyPct}%`),
          },
        ]}
      />
    </Panel>
  )
}

const nameOf = (directory: string) => (directory === HOST_DIRECTORY ? "hosts' own documents" : directory)
