import { type AccuracyFigures, type AccuracyGroup, VERDICT_LABELS } from '@touchstone402/shared'
import { Panel } from './panel.tsx'
import { type Column, Table } from './table.tsx'

/** How the service's own verdicts held, for each period. */
export function Accuracy({ figures }: { readonly figures: readonly AccuracyFigures[] }) {
  return (
    <Panel id="accuracy" title="How our verdicts held">
      <p class="small muted">
        What our probes and purchases showed after each verdict, one verdict a day for each endpoint; a domain
        counts once. Thieves that neither found are not known, and not counted.{' '}
        <a href="/methodology#how-well-verdicts-hold">How this is counted</a>
      </p>
      {figures.map((period) => (
        <Period {...period} />
      ))}
    </Panel>
  )
}

function Period({ afterDays, days, coveragePct, heldPct, skill, groups }: AccuracyFigures) {
  const title = afterDays === 1 ? 'After 1 day' : `After ${afterDays} days`
  return (
    <>
      <h3>{title}</h3>
      {days === 0 ? (
        <p class="empty">No period of this length has ended yet.</p>
      ) : (
        <>
          <p class="small">
            {`${percent(heldPct)} held. ${percent(coveragePct)} of endpoints had a verdict. Skill of the bands against the base rate: ${skill ?? 'not known yet'}.`}
          </p>
          <Table columns={COLUMNS} rows={groups} scroll={title} />
        </>
      )}
    </>
  )
}

const percent = (value: number | null) => (value === null ? 'Not measured' : `${value}%`)

const interval = ({ heldPct, lowPct, highPct }: AccuracyGroup) =>
  heldPct === null ? 'not measured' : `${heldPct}% (${lowPct} to ${highPct})`

const COLUMNS: readonly Column<AccuracyGroup>[] = [
  {
    share: 'whole',
    cell: ({ verdict, band }) => `${VERDICT_LABELS[verdict]}${band === null ? '' : `, ${band}`}`,
  },
  { name: 'Verdicts', isEnd: true, cell: ({ count, sharePct }) => `${count} (${sharePct}%)` },
  { name: 'Held, 95% interval', isEnd: true, cell: interval },
  { name: 'Avoid afterwards', isEnd: true, cell: ({ avoidAfterPct }) => percent(avoidAfterPct) },
  {
    name: 'Purchases delivered',
    isEnd: true,
    cell: ({ bought, delivered }) => (bought === 0 ? 'none known yet' : `${delivered} of ${bought}`),
  },
]
