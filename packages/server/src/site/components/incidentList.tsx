import type { Change, Incident, IncidentKind, VerdictCode } from '@touchstone402/shared'
import type { ComponentChildren } from 'preact'
import type { Time } from '../../domain/facts/facts.ts'
import { formatUsd } from '../format.ts'
import { profilePath } from '../paths.ts'
import { cleanText, shortenMiddle } from '../text.ts'
import { EndpointName, Moment, OutLink, Seller } from './prose.tsx'
import { Mark } from './verdictMark.tsx'

/** Display names of the kinds of incidents. */
export const INCIDENT_NAMES: Readonly<Record<IncidentKind, string>> = {
  receiver_hijack: 'Receiver changed',
  bait_and_switch: 'Price above listing',
  honeypot: 'Paid, not delivered',
  unverified_receiver: 'Unverified receiver',
}

/** Display names of the kinds of changes. */
export const CHANGE_NAMES: Readonly<Record<Change['kind'], string>> = {
  service_gone_dark: 'Went dark',
  payto_swap: 'Receiver changed',
  price_jump: 'Price increased',
  new_service: 'New service',
  service_recovered: 'Recovered',
}

const CHANGE_MARKS = {
  service_gone_dark: 'avoid',
  payto_swap: 'caution',
  price_jump: 'caution',
  new_service: 'unknown',
  service_recovered: 'safe',
} as const

/** Props of a list of events. */
export type ListProps<T> = { readonly items: readonly T[]; readonly now: Time; readonly showHost?: boolean }

/** Incidents, each with its measurement and its proof on chain. */
export function IncidentList({ items, now, showHost = false }: ListProps<Incident>) {
  return (
    <ul class="feed">
      {items.map((incident) => (
        <Entry id={incident.id} verdict={incident.status === 'open' ? 'avoid' : 'unknown'}>
          <p>
            <strong>{INCIDENT_NAMES[incident.kind]}</strong> <code class="chip mono">{incident.kind}</code>{' '}
            <span class="chip">{incident.status}</span>
          </p>
          <p>
            <Seller text={incident.summary} max={420} />
          </p>
          <p class="meta">
            {showHost && <HostLink host={incident.host} />}
            <Moment at={incident.detectedAt} now={now} />
            {incident.resolvedAt !== null && (
              <span>
                resolved <Moment at={incident.resolvedAt} />
              </span>
            )}
            <OutLink href={incident.proofUrl}>Proof on chain</OutLink>
          </p>
        </Entry>
      ))}
    </ul>
  )
}

/** Changes, each with the values before and after. */
export function ChangeList({ items, now, showHost = false }: ListProps<Change>) {
  return (
    <ul class="feed">
      {items.map((change) => (
        <Entry
          id={change.id}
          verdict={CHANGE_MARKS[change.kind]}
          {...(change.kind === 'new_service' && { mark: 'new' as const })}
        >
          <p>
            <strong>{CHANGE_NAMES[change.kind]}</strong> <Difference change={change} />
          </p>
          <p class="small">
            <EndpointName url={change.endpoint} />
          </p>
          <p class="meta">
            {showHost && <HostLink host={change.host} />}
            <Moment at={change.at} now={now} />
          </p>
        </Entry>
      ))}
    </ul>
  )
}

function Entry(props: { id: string; verdict: VerdictCode; mark?: 'new'; children: ComponentChildren }) {
  return (
    <li class={`v-${props.verdict}`} id={cleanText(props.id, 40)}>
      <Mark name={props.mark ?? props.verdict} verdict={props.verdict} />
      <div class="body">{props.children}</div>
    </li>
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

/** Link to a host's profile. */
export function HostLink({ host, max = 80 }: { host: string; max?: number }) {
  return (
    <a href={profilePath(host)}>
      <Seller text={host} max={max} />
    </a>
  )
}
