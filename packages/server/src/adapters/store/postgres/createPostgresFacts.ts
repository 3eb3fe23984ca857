import type { Change, Incident } from '@touchstone402/shared'
import { networkAddressKey } from '@touchstone402/shared'
import type { PoolClient } from 'pg'
import type { DailyMeasurements } from '../../../domain/facts/dailyMeasurements.ts'
import type { DailyReport, Fact, ReceiverRecord } from '../../../domain/facts/facts.ts'
import type { FeedPage, FeedQuery, Store } from '../../../ports/oldStore.ts'
import type { FactReads } from '../createFactIndex.ts'
import type { Database } from './database.ts'

type Published = { kind: 'change'; data: Change } | { kind: 'incident'; data: Incident }
type Stored = Exclude<Fact, { kind: 'change' | 'incident' }>
type Row = { data: string }

/** The part of a store that keeps facts, on PostgreSQL. */
export type PostgresFacts = FactReads & Pick<Store, 'append'>

/** Creates it. Every read queries the database, so all processes see the same. */
export function createPostgresFacts(database: Database): PostgresFacts {
  const read = async <T>(text: string, values: readonly unknown[] = []): Promise<T[]> => {
    const rows = await database.query<Row>(text, values)
    return rows.map(({ data }): T => JSON.parse(data))
  }

  const readNewest = <T>(kind: Stored['kind']): Promise<T[]> =>
    read('SELECT DISTINCT ON (subject) data FROM fact WHERE kind = $1 ORDER BY subject, at DESC, seq DESC', [
      kind,
    ])

  const readFeed = async <T>(kind: Published['kind'], query: FeedQuery): Promise<FeedPage<T>> => {
    const where = `kind = $1 AND at >= $2 AND ($3::text IS NULL OR host = $3) AND ($4::text IS NULL OR endpoint = $4)`
    const values = [kind, query.since, query.host ?? null, query.endpoint ?? null]
    const [records, [counted]] = await Promise.all([
      read<T>(`SELECT data FROM published WHERE ${where} ORDER BY at DESC, seq DESC LIMIT $5`, [
        ...values,
        query.limit,
      ]),
      database.query<{ total: string }>(`SELECT count(*) AS total FROM published WHERE ${where}`, values),
    ])
    return { records, total: Number(counted?.total ?? 0) }
  }

  return {
    async append(facts) {
      if (facts.length === 0) return
      await database.transaction((client) => insertFacts(client, facts, false))
    },
    async hostFacts(host) {
      const [facts, published, daily] = await Promise.all([
        read<Stored>(
          "SELECT data FROM fact WHERE subject = $1 AND kind NOT IN ('receiver', 'report') ORDER BY at, seq",
          [host],
        ),
        database.query<Row & Pick<Published, 'kind'>>(
          'SELECT kind, data FROM published WHERE host = $1 ORDER BY at, seq',
          [host],
        ),
        read<DailyMeasurements>('SELECT data FROM daily WHERE host = $1 ORDER BY date, endpoint', [host]),
      ])
      const ofKind = <T>(kind: Published['kind']) =>
        published.filter((row) => row.kind === kind).map(({ data }): T => JSON.parse(data))
      return {
        listings: facts.filter((fact) => fact.kind === 'listing'),
        observations: facts.filter((fact) => fact.kind === 'observation'),
        daily,
        announcements: facts.filter((fact) => fact.kind === 'announcement'),
        purchases: facts.filter((fact) => fact.kind === 'purchase'),
        changes: ofKind<Change>('change'),
        incidents: ofKind<Incident>('incident'),
      }
    },
    async receivers() {
      const newest = await readNewest<ReceiverRecord>('receiver')
      return new Map(newest.map((record) => [networkAddressKey(record.network, record.address), record]))
    },
    receiver: (network, address) =>
      read("SELECT data FROM fact WHERE subject = $1 AND kind = 'receiver' ORDER BY at, seq", [
        networkAddressKey(network, address),
      ]),
    changes: (query) => readFeed<Change>('change', query),
    incidents: (query) => readFeed<Incident>('incident', query),
    async reports() {
      const newest = await readNewest<DailyReport>('report')
      return newest.map(({ report }) => report)
    },
  }
}

/** Inserts facts within a transaction; `kept` marks observations that are kept although their day was folded. */
export async function insertFacts(client: PoolClient, facts: readonly Fact[], kept: boolean): Promise<void> {
  const stored = facts.filter((fact) => fact.kind !== 'change' && fact.kind !== 'incident')
  if (stored.length > 0) {
    await client.query(
      `INSERT INTO fact (kind, subject, at, kept, data)
       SELECT kind, subject, at, $5, data FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
         WITH ORDINALITY AS row (kind, subject, at, data, place) ORDER BY place`,
      [
        stored.map((fact) => fact.kind),
        stored.map(subjectOf),
        stored.map((fact) => fact.at),
        stored.map((fact) => JSON.stringify(fact)),
        kept,
      ],
    )
  }
  // One by one: a call may hold two states of one incident, and one statement cannot update a row twice.
  for (const fact of facts) {
    if (fact.kind === 'change') await publish(client, { kind: 'change', data: fact.change })
    if (fact.kind === 'incident') await publish(client, { kind: 'incident', data: fact.incident })
  }
}

async function publish(client: PoolClient, { kind, data }: Published): Promise<void> {
  const at = Date.parse(kind === 'change' ? data.at : data.detectedAt)
  await client.query(
    `INSERT INTO published (kind, id, host, endpoint, at, data) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (kind, id) DO UPDATE SET data = excluded.data`,
    [kind, data.id, data.host, data.endpoint, at, JSON.stringify(data)],
  )
}

function subjectOf(fact: Stored): string {
  if (fact.kind === 'receiver') return networkAddressKey(fact.network, fact.address)
  return fact.kind === 'report' ? fact.report.date : fact.host
}
