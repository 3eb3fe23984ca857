import {
  type Change,
  FLAG_RECORDS,
  type Incident,
  type IncidentKind,
  type VerdictCode,
} from '@touchstone402/shared'
import type { Time } from '../../facts/facts.ts'
import { severityOf } from '../../judge/flags.ts'
import { formatUsd } from '../format.ts'
import { incidentPath, profilePath } from '../paths.ts'
import { cleanText } from '../text.ts'
import { EndpointName, HostName, Measured, Moment, OutLink } from './prose.tsx'
import { markOf, VerdictMark } from './verdictMark.tsx'

/** Display names of the kinds of incidents. */
export const INCIDENT_NAMES: Readonly<Record<IncidentKind, string>> = {
  receiver_hijack: FLAG_RECORDS.payto_changed.name,
  bait_and_switch: FLAG_RECORDS.price_bait.name,
  honeypot: FLAG_RECORDS.no_delivery.name,
  unverified_receiver: FLAG_RECORDS.receiver_unverified.name,
}

/** Display names of the kinds of changes. */
export const CHANGE_NAMES: Readonly<Record<Change['kind'], string>> = {
  service_gone_dark: 'Went dark',
  payto_swap: FLAG_RECORDS.payto_changed.name,
  price_jump: 'Price increased',
  new_service: 'New service',
  service_recovered: 'Recovered',
}

/** An entry of the feed. */
export type FeedEvent = Incident | Change

export const isIncident = (event: FeedEvent): event is Incident => 'detectedAt' in event

/** Time at which an incident was detected, or a change was seen. */
export const timeOf = (event: FeedEvent): string => (isIncident(event) ? event.detectedAt : event.at)

type ListProps = { readonly events: readonly FeedEvent[]; readonly now: Time; readonly showHost?: boolean }

/** Incidents with their measurement and proof on chain, and changes with the values before and after. */
export function EventList({ events, now, showHost = false }: ListProps) {
  if (events.length === 0) return null
  return (
    <ul class="feed">
      {events.map((event) => (
        <li id={cleanText(event.id, 40)}>
          <VerdictMark verdict={markOfEvent(event)} />
          <div>
            <p>
              <strong>
                {isIncident(event) ? (
                  <a href={incidentPath(event.id)}>{INCIDENT_NAMES[event.kind]}</a>
                ) : (
                  CHANGE_NAMES[event.kind]
                )}
              </strong>
              {isIncident(event) && `, ${event.status}`}{' '}
              {!isIncident(event) && <Measured text={describeChange(event)} max={420} />}
            </p>
            {isIncident(event) && (
              <p>
                <Measured text={event.summary} max={420} />
              </p>
            )}
            <p class="small">
              <EndpointName url={event.endpoint} />
            </p>
            <p class="meta">
              {showHost && <HostLink host={event.host} />}
              <Moment at={timeOf(event)} now={now} />
              {isIncident(event) && <OutLink href={event.proofUrl}>Proof on chain</OutLink>}
            </p>
          </div>
        </li>
      ))}
    </ul>
  )
}

const CHANGE_MARKS: Readonly<Record<Change['kind'], VerdictCode | 'info'>> = {
  service_gone_dark: 'avoid',
  payto_swap: markOf(severityOf('payto_changed')),
  price_jump: 'caution',
  new_service: 'info',
  service_recovered: 'safe',
}

/** The mark of an event, by the risk that it stands for; what is over is no risk. */
export const markOfEvent = (event: FeedEvent) => {
  if (!isIncident(event)) return CHANGE_MARKS[event.kind]
  return event.status === 'open' ? markOf(event.severity) : 'info'
}

/** The values before and after a change: `$0.01 → $0.05 (+400%)`. */
export function describeChange({ kind, before, after, pct }: Change): string {
  if (kind === 'new_service' || before === null || after === null) return ''
  const show = (value: string) =>
    kind === 'price_jump' ? formatUsd(Number(value)) : value.split(' ').slice(0, 2).join(', ')
  return `${show(before)} → ${show(after)}${pct === undefined ? '' : ` (+${pct}%)`}`
}

/** Link to a host's profile. */
export function HostLink({ host, max = 80 }: { host: string; max?: number }) {
  return (
    <a href={profilePath(host)}>
      <HostName host={host} max={max} />
    </a>
  )
}
