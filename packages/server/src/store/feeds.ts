import type { Change, FeedPosition, Incident } from '@touchstone402/shared'
import type { PublishedChange, PublishedIncident, Time } from '../facts/facts.ts'
import { searchable } from '../facts/searchable.ts'
import { keepCited } from './observations.ts'
import type { Reader, Tx } from './tx.ts'

/** Selects records of a feed, newest first. */
export type FeedQuery = {
  /** Unix time in ms, inclusive. */
  readonly since: Time
  readonly limit: number
  readonly host?: string
  readonly endpoint?: string
  /** Of incidents: open ones only. @default false */
  readonly open?: boolean
  /** Continues behind the place of a record, whether it is there or not. @default from the newest on */
  readonly after?: FeedPosition
}

/** One page of a feed, and the number of all records that match, also of those before `after`. */
export type FeedPage<T> = { readonly records: readonly T[]; readonly total: number }

type Feed = 'change' | 'incident'
type RecordOf<F extends Feed> = F extends 'change' ? Change : Incident

/** Writes a change, or an incident in place of its earlier state; an incident keeps the probes that it cites. */
export async function writePublished(tx: Tx, fact: PublishedChange | PublishedIncident): Promise<void> {
  const { db } = tx
  if (fact.kind === 'change') {
    const { id, at, host, endpoint } = fact.change
    const row = { id, at: Date.parse(at), host, endpoint, fact_json: JSON.stringify(fact.change) }
    await db
      .insertInto('change')
      .values(row)
      .onConflict((on) => on.column('id').doUpdateSet(row))
      .execute()
    return
  }
  const { id, detectedAt, host, endpoint, status, observations } = fact.incident
  const row = {
    id,
    at: Date.parse(detectedAt),
    host,
    endpoint,
    is_open: status === 'open' ? 1 : 0,
    written_at: fact.at,
    fact_json: JSON.stringify(fact.incident),
  }
  await db
    .insertInto('incident')
    .values(row)
    .onConflict((on) => on.column('id').doUpdateSet(row).where('incident.written_at', '<=', fact.at))
    .execute()
  await keepCited(tx, endpoint, observations)
}

/** Reads the changes or incidents of an endpoint, oldest first. */
export async function readPublished<F extends Feed>(
  { db }: Reader,
  feed: F,
  endpoint: string,
): Promise<RecordOf<F>[]> {
  const rows = await db
    .selectFrom(feed as Feed)
    .select('fact_json')
    .where('endpoint', '=', endpoint)
    .orderBy('at')
    .orderBy('id')
    .execute()
  return rows.map(({ fact_json }) => JSON.parse(fact_json))
}

/** Reads a page of changes, newest first. */
export function readChanges(reader: Reader, query: FeedQuery): Promise<FeedPage<Change>> {
  return readFeed(reader, 'change', query)
}

/** Reads a page of incidents in their latest state, ordered by detection time, newest first. */
export function readIncidents(reader: Reader, query: FeedQuery): Promise<FeedPage<Incident>> {
  return readFeed(reader, 'incident', query)
}

async function readFeed<F extends Feed>(
  { db }: Reader,
  feed: F,
  { since, limit, host, endpoint, open, after }: FeedQuery,
): Promise<FeedPage<RecordOf<F>>> {
  const matching = db
    .selectFrom(feed as 'incident')
    .where('at', '>=', since)
    .$if(host !== undefined, (query) => query.where('host', '=', host ?? ''))
    .$if(endpoint !== undefined, (query) => query.where('endpoint', '=', endpoint ?? ''))
    .$if(open === true, (query) => query.where('is_open', '=', 1))
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  if (limit === 0) return { records: [], total }
  const rows = await matching
    .select('fact_json')
    .$if(after !== undefined, (query) =>
      query.where(({ eb, and, or }) => {
        const at = after?.at ?? 0
        const behind = and([eb('at', '=', at), eb('id', '<', searchable(after?.id ?? ''))])
        return or([eb('at', '<', at), behind])
      }),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return { records: rows.map(({ fact_json }) => JSON.parse(fact_json)), total }
}

/** Reads the open critical incidents of all endpoints that are kept, oldest first. */
export async function readOpenIncidents({ db }: Reader): Promise<Incident[]> {
  const rows = await db
    .selectFrom('incident')
    .innerJoin('endpoint', 'endpoint.url', 'incident.endpoint')
    .select('fact_json')
    .where('is_open', '=', 1)
    .orderBy('at')
    .orderBy('incident.id')
    .execute()
  const incidents = rows.map(({ fact_json }): Incident => JSON.parse(fact_json))
  return incidents.filter(({ severity }) => severity === 'critical')
}

/** Reads the latest state of an incident. */
export async function readIncident({ db }: Reader, id: string): Promise<Incident | undefined> {
  const row = await db
    .selectFrom('incident')
    .select('fact_json')
    .where('id', '=', searchable(id))
    .executeTakeFirst()
  return row && JSON.parse(row.fact_json)
}
