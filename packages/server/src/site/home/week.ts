import type { Change, Incident } from '@touchstone402/shared'
import type { Time } from '../../facts/facts.ts'
import { DAY } from '../../facts/times.ts'
import { readChanges, readIncidents } from '../../store/feeds.ts'
import type { Store } from '../../store/store.ts'

const WEEK = 7 * DAY
/** Changes and incidents of a week that are read, of each. */
const MAX_READ = 5_000
const SHOWN = 5

/** Kinds of events for the worse, the gravest first. */
const KINDS = ['receiver', 'undelivered', 'unverified', 'price', 'dark'] as const
type Kind = (typeof KINDS)[number]

const KIND_OF: Readonly<Partial<Record<Change['kind'] | Incident['kind'], Kind>>> = {
  payto_swap: 'receiver',
  receiver_hijack: 'receiver',
  honeypot: 'undelivered',
  unverified_receiver: 'unverified',
  price_jump: 'price',
  bait_and_switch: 'price',
  service_gone_dark: 'dark',
}

/** An event at one host, measured at one or more of its endpoints. */
export type WeekEvent = {
  readonly kind: Kind
  readonly host: string
  /** Time of the newest record. */
  readonly at: string
  readonly endpoints: number
  /** The incident that it opened, an open one first; undefined without one. */
  readonly incident: Incident | undefined
  /** The largest change; undefined if there is an incident alone. */
  readonly change: Change | undefined
}

/** Reads the largest events for the worse of the last seven days, the gravest first. */
export async function readWeek(store: Store, now: Time) {
  const query = { since: now - WEEK, limit: MAX_READ }
  const [changes, incidents] = await Promise.all([readChanges(store, query), readIncidents(store, query)])
  return findLargest(changes.records, incidents.records)
}

/** Returns the largest events. What went dark and recovered since is none. @param changes newest first */
export function findLargest(changes: readonly Change[], incidents: readonly Incident[]): WeekEvent[] {
  const recovered = new Set<string>()
  const lasting = changes.filter(({ kind, endpoint }) => {
    if (kind === 'service_recovered') recovered.add(endpoint)
    return kind !== 'service_gone_dark' || !recovered.has(endpoint)
  })
  const groups = new Map<string, { kind: Kind; changes: Change[]; incidents: Incident[] }>()
  const groupOf = (record: Change | Incident) => {
    const kind = KIND_OF[record.kind]
    if (kind === undefined) return undefined
    const key = `${kind} ${record.host}`
    const group = groups.get(key) ?? { kind, changes: [], incidents: [] }
    groups.set(key, group)
    return group
  }
  for (const change of lasting) groupOf(change)?.changes.push(change)
  for (const incident of incidents) groupOf(incident)?.incidents.push(incident)
  return [...groups.values()].map(describeGroup).sort(compareEvents).slice(0, SHOWN)
}

type Group = {
  readonly kind: Kind
  readonly changes: readonly Change[]
  readonly incidents: readonly Incident[]
}

function describeGroup({ kind, changes, incidents }: Group): WeekEvent {
  const records = [...changes, ...incidents.map(toTimed)]
  return {
    kind,
    host: records[0]?.host ?? '',
    at:
      records
        .map(({ at }) => at)
        .sort()
        .at(-1) ?? '',
    endpoints: new Set(records.map(({ endpoint }) => endpoint)).size,
    incident: incidents.find(({ status }) => status === 'open') ?? incidents[0],
    change: changes.toSorted((one, other) => (other.pct ?? 0) - (one.pct ?? 0))[0],
  }
}

const toTimed = ({ host, endpoint, detectedAt }: Incident) => ({ host, endpoint, at: detectedAt })

/** Orders events: by kind, open incidents first, then by size, then the newest first. */
function compareEvents(one: WeekEvent, other: WeekEvent): number {
  const isOpen = ({ incident }: WeekEvent) => Number(incident?.status === 'open')
  const sizeOf = ({ kind, change, endpoints }: WeekEvent) =>
    kind === 'price' ? (change?.pct ?? 0) : endpoints
  return (
    KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) ||
    isOpen(other) - isOpen(one) ||
    sizeOf(other) - sizeOf(one) ||
    other.at.localeCompare(one.at)
  )
}
