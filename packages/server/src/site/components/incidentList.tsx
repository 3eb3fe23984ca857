import type { Change, Incident, IncidentKind } from '@touchstone402/shared'
import type { ComponentChildren } from 'preact'
import type { Time } from '../../domain/facts/facts.ts'
import { formatUsd } from '../format.ts'
import { incidentPath, profilePath } from '../paths.ts'
import { cleanText } from '../text.ts'
import { EndpointName, Measured, Moment, OutLink, Seller } from './prose.tsx'
import { VerdictMark, type VerdictMarkProps } from './verdictMark.tsx'

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
      {items.map(({ id, kind, status, host, summary, detectedAt, resolvedAt, proofUrl }) => (
        <Entry id={id} verdict={status === 'open' ? 'avoid' : 'unknown'}>
          <p>
            <a href={incidentPath(id)}>
              <strong>{INCIDENT_NAMES[kind]}</strong>
            </a>{' '}
            <code class="chip mono">{kind}</code> <span class="chip">{status}</span>
          </p>
          <p>
            <Measured text={summary} max={420} />
          </p>
          <p class="meta">
            {showHost && <HostLink host={host} />}
            <Moment at={detectedAt} now={now} />
            {resolvedAt !== null && (
              <span>
                resolved <Moment at={resolvedAt} />
              </span>
            )}
            <OutLink href={proofUrl}>Proof on chain</OutLink>
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
          symbol={change.kind === 'new_service' ? 'new' : undefined}
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

type EntryProps = Pick<VerdictMarkProps, 'verdict' | 'symbol'> & { id: string; children: ComponentChildren }

function Entry({ id, verdict, symbol, children }: EntryProps) {
  return (
    <li class={`v-${verdict}`} id={cleanText(id, 40)}>
      <VerdictMark verdict={verdict} symbol={symbol} />
      <div class="body">{children}</div>
    </li>
  )
}

function Difference({ change }: { change: Change }) {
  const { kind, before, after, pct } = change
  if (kind === 'new_service' || before === null || after === null) return null
  const show = (value: string) =>
    kind === 'price_jump' ? (
      formatUsd(Number(value))
    ) : (
      <Measured text={value.split(' ').slice(0, 2).join(', ')} max={200} />
    )
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
