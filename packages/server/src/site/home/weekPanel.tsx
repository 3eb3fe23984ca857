import type { VerdictCode } from '@touchstone402/shared'
import { CHANGE_NAMES, HostLink, INCIDENT_NAMES } from '../components/incidentList.tsx'
import { Panel } from '../components/panel.tsx'
import { Day, Measured } from '../components/prose.tsx'
import { VerdictMark } from '../components/verdictMark.tsx'
import { formatUsd, plural } from '../format.ts'
import { incidentPath } from '../paths.ts'
import type { WeekEvent } from './week.ts'

const MARKS: Readonly<Record<WeekEvent['kind'], VerdictCode>> = {
  receiver: 'avoid',
  undelivered: 'avoid',
  unverified: 'avoid',
  price: 'caution',
  dark: 'avoid',
}

type WeekProps = {
  readonly events: readonly WeekEvent[]
  /** Number of open incidents, whenever they opened. */
  readonly open: number
}

/** The largest events of the last seven days, one row each. */
export function WeekPanel({ events, open }: WeekProps) {
  return (
    <Panel id="week" title="This week's largest changes" extra={<a href="/feed">All</a>}>
      {events.length === 0 && <p class="empty">No change for the worse in the last 7 days.</p>}
      <ul class="week">
        {events.map((event) => (
          <li>
            <VerdictMark verdict={MARKS[event.kind]} />
            <p>
              <HostLink host={event.host} max={60} /> <What {...event} />
            </p>
            <Day at={event.at} />
          </li>
        ))}
      </ul>
      <p class="small muted">
        {plural(open, 'open incident')}. <a href="/feed?kind=incidents">List</a>
      </p>
    </Panel>
  )
}

/** What happened, with the values before and after. */
function What({ change, incident, endpoints }: WeekEvent) {
  const name = incident ? INCIDENT_NAMES[incident.kind] : change && CHANGE_NAMES[change.kind]
  return (
    <>
      <strong>{incident ? <a href={incidentPath(incident.id)}>{name}</a> : name}</strong>
      {change && <Values {...change} />}
      {endpoints > 1 && <span class="muted"> at {endpoints} of its endpoints</span>}
    </>
  )
}

function Values({ kind, before, after, pct }: NonNullable<WeekEvent['change']>) {
  if (before === null || after === null || kind === 'service_gone_dark') return null
  const show = (value: string) =>
    kind === 'price_jump' ? formatUsd(Number(value)) : (value.split(' ')[0] ?? '')
  return (
    <span class="muted">
      {' '}
      <Measured
        text={`${show(before)} → ${show(after)}${pct === undefined ? '' : ` (+${pct}%)`}`}
        max={200}
      />
    </span>
  )
}
