import {
  CHANGE_NAMES,
  describeChange,
  HostLink,
  INCIDENT_NAMES,
  markOfEvent,
} from '../components/incidentList.tsx'
import { Panel } from '../components/panel.tsx'
import { Day, Measured } from '../components/prose.tsx'
import { VerdictMark } from '../components/verdictMark.tsx'
import { plural } from '../format.ts'
import { incidentPath } from '../paths.ts'
import type { WeekEvent } from './week.ts'

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
        {events.map((event) => {
          const record = event.incident ?? event.change
          return (
            <li>
              {record && <VerdictMark verdict={markOfEvent(record)} />}
              <p>
                <HostLink host={event.host} max={60} /> <What {...event} />
              </p>
              <Day at={event.at} />
            </li>
          )
        })}
      </ul>
      <p class="small muted">
        {plural(open, 'open incident')}. <a href="/feed?kind=incidents">List</a>
      </p>
    </Panel>
  )
}

/** Name of an event, with the values before and after. */
function What({ change, incident, endpoints }: WeekEvent) {
  const name = incident ? INCIDENT_NAMES[incident.kind] : change && CHANGE_NAMES[change.kind]
  const values = change && describeChange(change)
  return (
    <>
      <strong>{incident ? <a href={incidentPath(incident.id)}>{name}</a> : name}</strong>
      {incident?.status === 'resolved' && ', resolved'}
      {values && (
        <span class="muted">
          {' '}
          <Measured text={values} max={200} />
        </span>
      )}
      {endpoints > 1 && <span class="muted"> at {endpoints} of its endpoints</span>}
    </>
  )
}
