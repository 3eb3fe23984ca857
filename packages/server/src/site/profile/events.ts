import type { Change, Incident, IncidentKind } from '@touchstone402/shared'
import { type FeedEvent, isIncident, timeOf } from '../components/incidentList.tsx'
import { nameFinding } from '../findingTexts.ts'
import type { Finding } from './finding.ts'

/** One event: the findings that rest on it, its incidents and its changes. */
export type ProfileEvent = {
  readonly title: string
  /** Day on which it began, `YYYY-MM-DD`; undefined if that is not known. */
  readonly date: string | undefined
  /** Worst first. */
  readonly findings: readonly [Finding, ...Finding[]]
  /** Newest first. */
  readonly incidents: readonly Incident[]
  readonly changes: readonly Change[]
}

/** Incidents and changes that a finding of a code tells of. */
const TOLD: Readonly<Record<string, { readonly incident?: IncidentKind; readonly change?: Change['kind'] }>> =
  {
    payto_changed: { incident: 'receiver_hijack', change: 'payto_swap' },
    receiver_handed_over: { change: 'payto_swap' },
    receiver_confirmed_by_host: { change: 'payto_swap' },
    receiver_alternates: { change: 'payto_swap' },
    price_bait: { incident: 'bait_and_switch', change: 'price_jump' },
    price_differs: { change: 'price_jump' },
    price_high: { change: 'price_jump' },
    no_delivery: { incident: 'honeypot' },
    receiver_unverified: { incident: 'unverified_receiver' },
    dark: { change: 'service_gone_dark' },
    invalid: { change: 'service_gone_dark' },
  }

/**
 * Groups the findings on a host by what they rest on, worst first. Of the incidents and changes that none of them tells
 * of, those that are open stand, such as at endpoints that were not read; the others are over.
 */
export function groupEvents(findings: readonly Finding[], records: readonly FeedEvent[]) {
  const events: ProfileEvent[] = []
  const taken = new Set<string>()
  for (const finding of findings) {
    const told = records.filter((record) => !taken.has(record.id) && tells(finding, record))
    const place = events.findIndex((event) => rest(finding, event))
    const event = events[place]
    for (const { id } of told) taken.add(id)
    if (event === undefined) events.push(toEvent([finding], told))
    else {
      const { findings, incidents, changes } = event
      events[place] = toEvent([...findings, finding], [...incidents, ...changes, ...told])
    }
  }
  const left = records.filter(({ id }) => !taken.has(id))
  const isOpen = (record: FeedEvent) => isIncident(record) && record.status === 'open'
  return { events, standing: left.filter(isOpen), over: left.filter((record) => !isOpen(record)) }
}

function toEvent(findings: ProfileEvent['findings'], told: readonly FeedEvent[]): ProfileEvent {
  return {
    title: nameFinding(findings[0].code),
    date: told.map((record) => timeOf(record).slice(0, 10)).sort()[0],
    findings,
    incidents: told.filter(isIncident),
    changes: told.filter((record): record is Change => !isIncident(record)),
  }
}

/** Subject of a reply or dispute; both are null for the host. */
type Said = { readonly endpoint: string | null; readonly incident: string | null }

/** Puts each of what an owner says under the worst event that it is about. What is about none is left over. */
export function placeUnder<T extends Said>(events: readonly ProfileEvent[], said: readonly T[]) {
  const placed = said.map((one) => ({ one, event: events.find((event) => isAbout(one, event)) }))
  return {
    under: (event: ProfileEvent) => placed.flatMap((put) => (put.event === event ? [put.one] : [])),
    left: placed.flatMap((put) => (put.event === undefined ? [put.one] : [])),
  }
}

function isAbout({ endpoint, incident }: Said, { findings, incidents }: ProfileEvent): boolean {
  if (incident !== null) return incidents.some(({ id }) => id === incident)
  return endpoint === null || findings.some(({ endpoints }) => endpoints.includes(endpoint))
}

/**
 * Whether an open incident is cited by a finding or of its kind, at any endpoint of the host, since not all are read; or a
 * change of its kind at one of its endpoints.
 */
function tells({ code, evidence, endpoints }: Finding, record: FeedEvent): boolean {
  if (isIncident(record) && evidence.includes(record.id)) return true
  if (isIncident(record) && record.status !== 'open') return false
  if (isIncident(record)) return record.kind === TOLD[code]?.incident
  return record.kind === TOLD[code]?.change && endpoints.includes(record.endpoint)
}

/** Whether a finding rests on the incident of an event. */
const rest = ({ evidence }: Finding, { incidents }: ProfileEvent) =>
  incidents.some(({ id }) => evidence.includes(id))
