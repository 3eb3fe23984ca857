import type { Time } from '../../domain/facts/facts.ts'
import { Layout } from '../components/layout.tsx'
import { Panel } from '../components/panel.tsx'
import { EndpointName, Moment, Seller } from '../components/prose.tsx'
import { type Column, Table } from '../components/table.tsx'
import { VerdictTag } from '../components/verdictMark.tsx'
import { plural } from '../format.ts'
import { focusPath, profilePath, RECHECKS_PATH } from '../paths.ts'
import { isOver, type RecheckProgress } from './readProgress.ts'

type ProgressProps = { readonly progress: RecheckProgress; readonly publicUrl: string; readonly now: Time }

/** The page of a re-check: which endpoints were probed since it was asked for, and with what result. */
export function Progress({ progress, publicUrl, now }: ProgressProps) {
  const { host, since, total, checked, isDone, endpoints } = progress
  const columns: Column<(typeof endpoints)[number]>[] = [
    {
      name: 'Endpoint',
      cell: ({ endpoint }) => (
        <a href={focusPath(host, endpoint)}>
          <EndpointName url={endpoint} />
        </a>
      ),
    },
    {
      name: 'Probed',
      share: 'whole',
      cell: ({ checkedAt }) =>
        checkedAt === null ? <span class="muted">waiting</span> : <Moment at={checkedAt} />,
    },
    { name: 'Status', cell: ({ status, isChecked }) => (isChecked ? status : '–') },
    {
      name: 'Verdict',
      cell: ({ verdict, isChecked }) => (isChecked ? <VerdictTag verdict={verdict} /> : '–'),
    },
  ]
  return (
    <Layout
      title={`Re-check of ${host}: ${checked} of ${total}`}
      description="Progress of a free re-check."
      path={RECHECKS_PATH}
      publicUrl={publicUrl}
    >
      <h1>
        Re-check of <Seller text={host} max={120} />
      </h1>
      <p class="lede" role="status">
        {headlineOf(progress, now)} Asked for at <Moment at={since} />.
      </p>
      <progress value={checked} max={total}>
        {checked} of {total}
      </progress>
      <div class="stack">
        <Panel id="endpoints" title={isDone ? 'Result' : 'Progress'}>
          <Table isCards rows={endpoints} columns={columns} />
          <p class="small">
            One probe seldom changes a verdict: an outage or a changed receiver is confirmed by several.{' '}
            <a href={profilePath(host)}>Profile of the service</a>
          </p>
        </Panel>
      </div>
    </Layout>
  )
}

function headlineOf(progress: RecheckProgress, now: Time): string {
  const { checked, total, isDone } = progress
  if (isDone) return `${plural(total, 'endpoint')} probed again.`
  const count = `${checked} of ${plural(total, 'endpoint')} probed.`
  return isOver(progress, now)
    ? `${count} The others are still in the queue.`
    : `${count} This page follows by itself.`
}
