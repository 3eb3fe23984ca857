import type { Change, Incident, IncidentKind } from '@touchstone402/shared'
import type { Time } from '../../domain/facts/facts.ts'
import { formatUsd } from '../format.ts'
import { cleanText, shortenMiddle } from '../text.ts'
import { EndpointName, Moment, OutLink, Seller } from './prose.tsx'
import { Mark, VerdictMark } from './verdictMark.tsx'

/** What each kind of incident is called. */
export const INCIDENT_NAMES: Readonly<Record<IncidentKind, string>> = {
  receiver_hijack: 'Receiver replaced',
  bait_and_switch: 'Asks more than it lists',
  honeypot: 'Paid, nothing delivered',
  unverified_receiver: 'Unverified receiver',
}

/** What each kind of change is called. */
export const CHANGE_NAMES: Readonly<Record<Change['kind'], string>> = {
  service_gone_dark: 'Stopped answering',
  payto_swap: 'Another receiver',
  price_jump: 'Price rose',
  new_service: 'New service',
  service_recovered: 'Answers again',
}

const CHANGE_MARKS = {
  service_gone_dark: 'avoid',
  payto_swap: 'caution',
  price_jump: 'caution',
  new_service: 'unknown',
  service_recovered: 'safe',
} as const

/** Where the profile of a host is. */
export function profilePath(host: string): string {
  return `/services/${encodeURIComponent(host)}`
}

type ListProps<T> = { readonly items: readonly T[]; readonly now: Time; readonly showHost?: boolean }

/** Incidents, each with what was measured and where it can be looked up on chain. */
export function IncidentList({ items, now, showHost = false }: ListProps<Incident>) {
  return (
    <ul class="feed">
      {items.map((incident) => (
        <li class={incident.status === 'open' ? 'v-avoid' : 'v-unknown'} id={cleanText(incident.id, 40)}>
          <VerdictMark verdict={incident.status === 'open' ? 'avoid' : 'unknown'} />
          <div class="body">
            <p>
              <strong>{INCIDENT_NAMES[incident.kind]}</strong> <code class="chip mono">{incident.kind}</code>{' '}
              <span class="chip">{incident.status}</span>
            </p>
            <p>
              <Seller text={incident.summary} max={420} />
            </p>
            <p class="meta">
              {showHost && <HostLink host={incident.host} />}
              <Moment at={Date.parse(incident.detectedAt)} now={now} />
              {incident.resolvedAt !== null && (
                <span>
                  resolved <Moment at={Date.parse(incident.resolvedAt)} />
                </span>
              )}
              <OutLink href={incident.proofUrl}>Proof on chain</OutLink>
            </p>
          </div>
        </li>
      ))}
    </ul>
  )
}

/** Changes, each with what was before and after. */
export function ChangeList({ items, now, showHost = false }: ListProps<Change>) {
  return (
    <ul class="feed">
      {items.map((change) => (
        <li class={`v-${CHANGE_MARKS[change.kind]}`} id={cleanText(change.id, 40)}>
          <Mark
            name={change.kind === 'new_service' ? 'new' : CHANGE_MARKS[change.kind]}
            verdict={CHANGE_MARKS[change.kind]}
          />
          <div class="body">
            <p>
              <strong>{CHANGE_NAMES[change.kind]}</strong> <Difference change={change} />
            </p>
            <p class="small">
              <EndpointName url={change.endpoint} />
            </p>
            <p class="meta">
              {showHost && <HostLink host={change.host} />}
              <Moment at={Date.parse(change.at)} now={now} />
            </p>
          </div>
        </li>
      ))}
    </ul>
  )
}

function Difference({ change }: { change: Change }) {
  const { kind, before, after, pct } = change
  if (kind === 'new_service' || before === null || after === null) return null
  const show = (value: string) =>
    kind === 'price_jump'
      ? formatUsd(Number(value))
      : value
          .split(' ')
          .slice(0, 2)
          .map((word) => shortenMiddle(cleanText(word, 80), 8, 6))
          .join(', ')
  return (
    <span class="muted">
      <bdi class="nowrap">{show(before)}</bdi> → <bdi class="nowrap">{show(after)}</bdi>
      {pct !== undefined && ` (+${pct}%)`}
    </span>
  )
}

function HostLink({ host }: { host: string }) {
  return (
    <a href={profilePath(host)}>
      <Seller text={host} max={80} />
    </a>
  )
}
