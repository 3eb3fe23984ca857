import type { Change, Incident } from '@touchstone402/shared'
import type { Time } from '../../domain/facts/facts.ts'
import { EventList, HostLink } from '../components/incidentList.tsx'
import { Panel } from '../components/panel.tsx'
import { Day } from '../components/prose.tsx'
import { plural } from '../format.ts'

const SHOWN_INCIDENTS = 5
const SHOWN_CHANGES = 6
const SHOWN_DAYS = 3
const SHOWN_HOSTS = 12

type HappenedProps = {
  /** Newest first. */
  readonly incidents: readonly Incident[]
  /** Newest first. */
  readonly changes: readonly Change[]
  readonly days: number
  readonly now: Time
}

/** Bad news first: open incidents, then changes, then the new services of each day in one line. */
export function Happened({ incidents, changes, days, now }: HappenedProps) {
  const worst = incidents.toSorted((a, b) => Number(b.status === 'open') - Number(a.status === 'open'))
  const others = changes.filter(({ kind }) => kind !== 'new_service')
  return (
    <Panel id="happened" title="What happened" extra={<Links />}>
      {incidents.length + changes.length === 0 && (
        <p class="empty">
          Nothing in the last {days} days. Incidents and changes appear here once confirmed.
        </p>
      )}
      <EventList events={worst.slice(0, SHOWN_INCIDENTS)} now={now} showHost />
      <EventList events={others.slice(0, SHOWN_CHANGES)} now={now} showHost />
      {groupByDay(changes).map(([date, hosts]) => (
        <details class="arrivals">
          <summary>
            {plural(hosts.length, 'new service')} on <Day at={date} />
          </summary>
          <ul class="chips">
            {hosts.slice(0, SHOWN_HOSTS).map((host) => (
              <li>
                <HostLink host={host} max={60} />
              </li>
            ))}
            {hosts.length > SHOWN_HOSTS && (
              <li>
                <a href="/changes?kind=new_service">and {hosts.length - SHOWN_HOSTS} more</a>
              </li>
            )}
          </ul>
        </details>
      ))}
    </Panel>
  )
}

function Links() {
  return (
    <span>
      <a href="/incidents">All incidents</a> · <a href="/changes">All changes</a>
    </span>
  )
}

/** Groups new services by the day of their first valid challenge, newest first. */
function groupByDay(changes: readonly Change[]): [date: string, hosts: string[]][] {
  const days = new Map<string, string[]>()
  for (const { kind, at, host } of changes) {
    if (kind !== 'new_service') continue
    const date = at.slice(0, 10)
    days.set(date, [...(days.get(date) ?? []), host])
  }
  return [...days].slice(0, SHOWN_DAYS)
}
