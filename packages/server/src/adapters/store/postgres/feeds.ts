import type { Change, Incident } from '@touchstone402/shared'
import type { PoolClient } from 'pg'
import type { Fact, PublishedChange, PublishedIncident } from '../../../domain/facts/facts.ts'
import type { FeedPage, FeedQuery, Store } from '../../../ports/store.ts'
import type { Database } from './database.ts'
import { toKey } from './keyText.ts'

/** The part of a store that reads changes and incidents. */
export type Feeds = Pick<Store, 'changes' | 'incidents' | 'incident'>

/** Of a record that is not there, the time alone decides. */
const BEHIND = ` AND (at, seq) < (
  SELECT at, seq FROM published WHERE kind = $1 AND id = $8
  UNION ALL SELECT $7::bigint, -1 WHERE NOT EXISTS (SELECT FROM published WHERE kind = $1 AND id = $8))`

/** Creates it. */
export function createFeeds(database: Database): Feeds {
  const readFeed = async <T>(kind: 'change' | 'incident', query: FeedQuery): Promise<FeedPage<T>> => {
    const where = `kind = $1 AND at >= $2 AND ($3::text IS NULL OR host = $3)
      AND ($4::text IS NULL OR endpoint = $4) AND ($5 OR is_open)`
    const isOpenOnly = kind === 'incident' && query.open === true
    const values = [kind, query.since, keyOrNull(query.host), keyOrNull(query.endpoint), !isOpenOnly]
    const [rows, [counted]] = await Promise.all([
      database.query<{ data: string }>(
        `SELECT data FROM published WHERE ${where}${query.after === undefined ? '' : BEHIND}
         ORDER BY at DESC, seq DESC LIMIT $6`,
        [
          ...values,
          query.limit,
          ...(query.after === undefined ? [] : [query.after.at, toKey(query.after.id)]),
        ],
      ),
      database.query<{ total: string }>(`SELECT count(*) AS total FROM published WHERE ${where}`, values),
    ])
    return { records: rows.map(({ data }): T => JSON.parse(data)), total: Number(counted?.total ?? 0) }
  }
  return {
    changes: (query) => readFeed<Change>('change', query),
    incidents: (query) => readFeed<Incident>('incident', query),
    async incident(id) {
      const [row] = await database.query<{ data: string }>(
        "SELECT data FROM published WHERE kind = 'incident' AND id = $1",
        [toKey(id)],
      )
      return row === undefined ? undefined : JSON.parse(row.data)
    },
  }
}

const keyOrNull = (text: string | undefined) => (text === undefined ? null : toKey(text))

/** Writes the changes and incidents among some facts; of one id the last wins and keeps its place in the feed. */
export async function writePublished(client: PoolClient, facts: readonly Fact[]): Promise<void> {
  const published = facts.filter((fact) => fact.kind === 'change' || fact.kind === 'incident').map(rowOf)
  const rows = [...new Map(published.map((row) => [`${row.kind} ${row.id}`, row])).values()]
  if (rows.length === 0) return
  await client.query(
    `INSERT INTO published (kind, id, host, endpoint, at, is_open, data)
     SELECT kind, id, host, endpoint, at, is_open, data
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::boolean[], $7::text[])
       WITH ORDINALITY AS row (kind, id, host, endpoint, at, is_open, data, place) ORDER BY place
     ON CONFLICT (kind, id) DO UPDATE SET is_open = excluded.is_open, data = excluded.data`,
    [
      rows.map((row) => row.kind),
      rows.map((row) => toKey(row.id)),
      rows.map((row) => toKey(row.host)),
      rows.map((row) => toKey(row.endpoint)),
      rows.map((row) => row.at),
      rows.map((row) => row.isOpen),
      rows.map((row) => row.data),
    ],
  )
}

function rowOf(fact: PublishedChange | PublishedIncident) {
  const [record, at, isOpen] =
    fact.kind === 'change'
      ? [fact.change, Date.parse(fact.change.at), false]
      : [fact.incident, Date.parse(fact.incident.detectedAt), fact.incident.status === 'open']
  const { id, host, endpoint } = record
  return { kind: fact.kind, id, host, endpoint, at, isOpen, data: JSON.stringify(record) }
}
