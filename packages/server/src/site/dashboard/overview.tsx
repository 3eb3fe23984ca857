import { type StatusFeed, VERDICT_LABELS, type VerdictCode } from '@touchstone402/shared'
import type { ComponentChild } from 'preact'
import { Panel } from '../components/panel.tsx'
import { Seller } from '../components/prose.tsx'
import { Table } from '../components/table.tsx'
import { VerdictMark } from '../components/verdictMark.tsx'
import { plural } from '../format.ts'
import { VERDICT_CODES, viewUrl } from './listView.ts'
import type { OverviewFacts } from './readOverview.ts'

type OverviewProps = OverviewFacts & { readonly children?: ComponentChild }

/** Number of services per verdict, with a bar of their shares. */
export function Overview({ hosts, hostVerdicts, status: { ecosystem }, children }: OverviewProps) {
  const counts = VERDICT_CODES.map((code) => ({ code, count: hostVerdicts[code] ?? 0 }))
  return (
    <Panel id="overview" title={titleOf(hosts, hostVerdicts.avoid ?? 0)}>
      <div class="counts">
        {counts.map(({ code, count }) => (
          <a href={viewUrl({ sort: 'worst', page: 1 }, { verdict: code })} class={`v-${code}`}>
            <span class="n">
              <VerdictMark verdict={code} />
              {count}
            </span>
            <span class="what">{VERDICT_LABELS[code]}</span>
          </a>
        ))}
      </div>
      <ShareBar counts={counts} total={hosts} />
      <p class="small muted">
        {plural(hosts, 'service')} with {plural(ecosystem.tracked, 'endpoint')}: {ecosystem.live} live,{' '}
        {ecosystem.dead} dark, {ecosystem.invalid} invalid, {ecosystem.unmeasured} not measured yet.
      </p>
      {children}
    </Panel>
  )
}

const titleOf = (hosts: number, avoid: number) =>
  hosts === 0 ? 'No service measured yet' : `Today ${avoid} of ${plural(hosts, 'service')} should be avoided`

function ShareBar({ counts, total }: { counts: { code: VerdictCode; count: number }[]; total: number }) {
  if (total === 0) return null
  let x = 0
  return (
    <svg class="share" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      {counts.map(({ code, count }) => {
        const width = (100 * count) / total
        x += width
        return <rect class={`v-${code}`} x={x - width} width={Math.max(0, width - 0.3)} height="4" />
      })}
    </svg>
  )
}

/** Share of each directory's listings that work. */
export function Directories({ audit }: { audit: StatusFeed['catalogAudit'] }) {
  return (
    <Panel id="directories" title="Directory accuracy">
      <Table
        empty="No directory has been read yet: the first crawl begins with them."
        rows={audit}
        columns={[
          { name: 'Directory', cell: ({ directory }) => <Seller text={directory} max={40} /> },
          { name: 'Listed', isEnd: true, cell: ({ listed }) => listed },
          { name: 'Working', isEnd: true, cell: ({ working }) => working },
          {
            name: 'Accuracy',
            isEnd: true,
            cell: ({ accuracyPct }) => (accuracyPct === null ? '–' : `${accuracyPct}%`),
          },
        ]}
      />
    </Panel>
  )
}
