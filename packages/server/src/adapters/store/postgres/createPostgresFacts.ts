import type { Change, Incident } from '@touchstone402/shared'
import type { PoolClient } from 'pg'
import type { DailyMeasurements } from '../../../domain/facts/dailyMeasurements.ts'
import type {
  Announcement,
  DailyReport,
  Fact,
  Listing,
  Observation,
  Purchase,
  ReceiverRecord,
} from '../../../domain/facts/facts.ts'
import type { FeedPage, FeedQuery, HostFacts, Store } from '../../../ports/store.ts'
import { receiverKey } from '../createFactIndex.ts'
import type { Database } from './database.ts'

type Published = { kind: 'change'; data: Change } | { kind: 'incident'; data: Incident }
type Stored = Exclude<Fact, { kind: 'change' | 'incident' }>
type Row = { data: string }

/** The part of a store that keeps facts, on PostgreSQL. */
export type PostgresFacts = Pick<
  Store,
  'append' | 'hostFacts' | 'receivers' | 'receiver' | 'changes' | 'incidents' | 'reports'
>

/** Makes it; every read asks the database, so all processes see the same. */
export function createPostgresFacts(database: Database): PostgresFacts {
  const read = async <T>(text: string, values: readonly unknown[]): Promise<T[]> => {
    const rows = await database.query<Row>(text, values)
    return rows.map(({ data }): T => JSON.parse(data))
  }

  const feed = async <T>(kind: Published['kind'], query: FeedQuery): Promise<FeedPage<T>> => {
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
    async hostFacts(host): Promise<HostFacts> {
      const [facts, published, daily] = await Promise.all([
        read<Stored>(
          "SELECT data FROM fact WHERE subject = $1 AND kind NOT IN ('receiver', 'report') ORDER BY at, seq",
          [host],
        ),
        database.query<Row & { kind: string }>(
          'SELECT kind, data FROM published WHERE host = $1 ORDER BY at, seq',
          [host],
        ),
        read<DailyMeasurements>('SELECT data FROM daily WHERE host = $1 ORDER BY date, endpoint', [host]),
      ])
      const of = <T>(kind: string) =>
        published.flatMap((row): T[] => (row.kind === kind ? [JSON.parse(row.data)] : []))
      return {
        listings: facts.filter((fact): fact is Listing => fact.kind === 'listing'),
        observations: facts.filter((fact): fact is Observation => fact.kind === 'observation'),
        daily,
        announcements: facts.filter((fact): fact is Announcement => fact.kind === 'announcement'),
        purchases: facts.filter((fact): fact is Purchase => fact.kind === 'purchase'),
        changes: of<Change>('change'),
        incidents: of<Incident>('incident'),
      }
    },
    async receivers() {
      const newest = await read<ReceiverRecord>(
        `SELECT DISTINCT ON (subject) data FROM fact WHERE kind = 'receiver'
         ORDER BY subject, at DESC, seq DESC`,
        [],
      )
      return new Map(newest.map((record) => [receiverKey(record.network, record.address), record]))
    },
    receiver: (network, address) =>
      read("SELECT data FROM fact WHERE subject = $1 AND kind = 'receiver' ORDER BY at, seq", [
        receiverKey(network, address),
      ]),
    changes: (query) => feed<Change>('change', query),
    incidents: (query) => feed<Incident>('incident', query),
    async reports() {
      const last = await read<DailyReport>(
        `SELECT DISTINCT ON (subject) data FROM fact WHERE kind = 'report'
         ORDER BY subject, at DESC, seq DESC`,
        [],
      )
      return last.map(({ report }) => report)
    },
  }
}

/** Writes facts within a transaction; `kept` marks observations that outlive their folded day. */
export async function insertFacts(client: PoolClient, facts: readonly Fact[], kept: boolean): Promise<void> {
  const stored = facts.filter((fact): fact is Stored => fact.kind !== 'change' && fact.kind !== 'incident')
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
  // One by one: a call may hold two states of the same incident, which one statement may not touch twice.
  for (const fact of facts) {
    const published = publishedOf(fact)
    if (published) await publish(client, published)
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

function publishedOf(fact: Fact): Published | undefined {
  if (fact.kind === 'change') return { kind: 'change', data: fact.change }
  if (fact.kind === 'incident') return { kind: 'incident', data: fact.incident }
  return undefined
}

function subjectOf(fact: Stored): string {
  if (fact.kind === 'receiver') return receiverKey(fact.network, fact.address)
  return fact.kind === 'report' ? fact.report.date : fact.host
}
