import type { Incident } from '@touchstone402/shared'
import type { Time } from '../facts/facts.ts'
import { recordId } from '../facts/ids.ts'
import { HOUR, toTimestamp } from '../facts/times.ts'
import { readChanges, readIncident, readIncidents } from '../store/feeds.ts'
import type { Store } from '../store/store.ts'
import type { FeedPosition, Notice, NoticeEvent, Webhook } from './webhook.ts'

/** New events of a host, oldest first, and the position behind them. */
export type ReadNotices = {
  readonly notices: readonly Notice[]
  readonly position: FeedPosition
  /** Whether more events may be waiting. */
  readonly hasMore: boolean
  /** Number of records that were too many to be read. */
  readonly missed: number
}

/** Notices that one reading queues at most. */
const MAX_QUEUED = 100
/** Records of one feed that one reading takes at most. */
const MAX_READ = 1_000
/** A record may be written this long after the time it carries, which is that of its probe. */
const LATE_MS = HOUR

/**
 * Reads the events of a host after a position. An incident is delivered when it opens, reopens or is resolved; of several
 * such changes between two reads only the last is delivered.
 */
export async function readNotices(
  store: Store,
  { id, host, createdAt }: Webhook,
  before: FeedPosition | null,
  now: Time,
): Promise<ReadNotices> {
  const position = before ?? (await startAt(store, host, createdAt))
  const since = Math.max(createdAt, position.since - LATE_MS)
  const [changes, incidents, open] = await Promise.all([
    readChanges(store, { host, since, limit: MAX_READ }),
    readIncidents(store, { host, since, limit: MAX_READ }),
    readIncidents(store, { host, since: 0, limit: MAX_READ, open: true }),
  ])
  const seen = new Set(position.seen.map(([record]) => record))
  const openIds = new Set(open.records.map((incident) => incident.id))
  /** Whether an incident opened since the last reading, and not again. */
  const isNew = ({ id, detectedAt }: Incident) => Date.parse(detectedAt) >= since && !seen.has(id)
  const untold = ({ records }: typeof incidents) => records.filter(({ id }) => !position.open.includes(id))
  const found = [
    ...changes.records
      .filter((change) => !seen.has(change.id))
      .map((data): NoticeEvent => ({ type: 'change', timestamp: data.at, data })),
    ...untold(open).map((incident) =>
      tellOpened(incident, isNew(incident) ? incident.detectedAt : toTimestamp(now)),
    ),
    ...untold(incidents)
      .filter((incident) => incident.status === 'resolved' && isNew(incident))
      .flatMap((incident) => [
        tellOpened({ ...incident, status: 'open', resolvedAt: null }, incident.detectedAt),
        tellResolved(incident, now),
      ]),
    ...(await findResolved(
      store,
      position.open.filter((incident) => !openIds.has(incident)),
      now,
    )),
  ].sort((one, other) => timeOf(one) - timeOf(other))
  const taken = found.slice(0, MAX_QUEUED)
  return {
    notices: taken.map((event) => ({
      id: recordId('msg', id, event.type, event.data.id, event.timestamp),
      event,
      queuedAt: now,
    })),
    position: moveOn(position, taken),
    hasMore: taken.length < found.length,
    missed: [changes, incidents].reduce((sum, { records, total }) => sum + total - records.length, 0),
  }
}

/** Incidents opened before the webhook was created are not delivered; their resolutions are. */
async function startAt(store: Store, host: string, createdAt: Time): Promise<FeedPosition> {
  const { records } = await readIncidents(store, { host, since: 0, limit: MAX_READ, open: true })
  const earlier = records.filter(({ detectedAt }) => Date.parse(detectedAt) < createdAt)
  return { since: createdAt, seen: [], open: earlier.map(({ id }) => id) }
}

const timeOf = ({ timestamp }: NoticeEvent): Time => Date.parse(timestamp)

function tellOpened(data: Incident, timestamp: string): NoticeEvent {
  return { type: 'incident.opened', timestamp, data }
}

function tellResolved(data: Incident, now: Time): NoticeEvent {
  return { type: 'incident.resolved', timestamp: data.resolvedAt ?? toTimestamp(now), data }
}

/** Reads which incidents that were delivered as open are resolved. The others were too many to be listed. */
async function findResolved(store: Store, ids: readonly string[], now: Time): Promise<NoticeEvent[]> {
  const incidents = await Promise.all(ids.map((id) => readIncident(store, id)))
  return incidents.flatMap((incident) =>
    incident?.status === 'resolved' ? [tellResolved(incident, now)] : [],
  )
}

function moveOn({ since, seen, open }: FeedPosition, taken: readonly NoticeEvent[]): FeedPosition {
  // The feed would show them again.
  const told = taken.filter(({ type }) => type !== 'incident.resolved')
  const newest = Math.max(since, ...told.map(timeOf))
  const records = told.map((event) => [event.data.id, timeOf(event)] as const)
  const opened = new Set(open)
  for (const { type, data } of taken) {
    if (type === 'incident.opened') opened.add(data.id)
    if (type === 'incident.resolved') opened.delete(data.id)
  }
  return {
    since: newest,
    seen: [...new Map([...seen, ...records])].filter(([, at]) => at >= newest - LATE_MS),
    open: [...opened],
  }
}
