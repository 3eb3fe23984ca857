import { SKIP_REASONS, type SkipCounts, type SkipReason } from '../../ports/directory.ts'
import { Panel } from '../components/panel.tsx'
import { Table } from '../components/table.tsx'

const REASONS = Object.entries(SKIP_REASONS) as [SkipReason, string][]

/** Number of rows that the last readings of the directories skipped, by reason. */
export function SkippedRows({ skipped }: { skipped: SkipCounts | undefined }) {
  if (skipped === undefined) return null
  return (
    <Panel id="skipped" title="Skipped entries of directories">
      <Table
        empty="None since this process started."
        rows={REASONS.filter(([reason]) => (skipped[reason] ?? 0) > 0)}
        columns={[
          { name: 'Reason', cell: ([, meaning]) => meaning },
          { name: 'Entries', isEnd: true, cell: ([reason]) => skipped[reason] },
        ]}
      />
    </Panel>
  )
}
