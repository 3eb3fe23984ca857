import type { Change, Incident, Report } from '@touchstone402/shared'
import { networkAddressKey } from '@touchstone402/shared'
import type { PoolClient } from 'pg'
import type {
  Announcement,
  Fact,
  Listing,
  Observation,
  Purchase,
  ReceiverRecord,
} from '../../../domain/facts/facts.ts'
import type { Store } from '../../../ports/store.ts'
import type { Database } from './database.ts'
import { addDue } from './due.ts'
import { toKey } from './keyText.ts'

/** The part of a store that reads facts other than looks. */
export type Records = Pick<
  Store,
  'endpointFacts' | 'hostFacts' | 'listings' | 'purchases' | 'receiver' | 'reports'
> & {
  /** Returns the number of receivers with a record. */
  countReceivers(): Promise<number>
}

type Stored = Listing | Purchase | Announcement | ReceiverRecord
type Row = { kind: string; data: string }

/** Creates it. */
export function createRecords(database: Database): Records {
  const read = async <T>(text: string, values: readonly unknown[] = []): Promise<T[]> => {
    const rows = await database.query<{ data: string }>(text, values)
    return rows.map(({ data }): T => JSON.parse(data))
  }
  return {
    async endpointFacts(endpoint) {
      const rows = await database.query<Row>(
        `(SELECT kind, data, at, seq FROM fact WHERE kind IN ('listing', 'purchase') AND subject = $1)
         UNION ALL (SELECT kind, data, at, seq FROM published WHERE endpoint = $1)
         ORDER BY at, seq`,
        [toKey(endpoint)],
      )
      const ofKind = <T>(kind: string) =>
        rows.filter((row) => row.kind === kind).map(({ data }): T => JSON.parse(data))
      return {
        listings: ofKind<Listing>('listing'),
        purchases: ofKind<Purchase>('purchase'),
        changes: ofKind<Change>('change'),
        incidents: ofKind<Incident>('incident'),
      }
    },
    async hostFacts(host) {
      const [announcements, [control]] = await Promise.all([
        read<Announcement>(
          `SELECT data FROM fact WHERE kind = 'announcement' AND subject = $1 ORDER BY at, seq`,
          [toKey(host)],
        ),
        read<Observation>(`SELECT data FROM newest WHERE kind = 'control' AND subject = $1`, [toKey(host)]),
      ])
      return { announcements, control }
    },
    async listings(endpoints) {
      const found = await read<Listing>(
        `SELECT data FROM fact WHERE kind = 'listing' AND subject = ANY ($1) ORDER BY at, seq`,
        [endpoints.map(toKey)],
      )
      const byEndpoint = new Map<string, Listing[]>()
      for (const listing of found) {
        const listings = byEndpoint.get(listing.endpoint)
        if (listings) listings.push(listing)
        else byEndpoint.set(listing.endpoint, [listing])
      }
      return byEndpoint
    },
    purchases: (host) =>
      read(`SELECT data FROM fact WHERE kind = 'purchase' AND host = $1 ORDER BY at, seq`, [toKey(host)]),
    receiver: (network, address, until) =>
      read(
        `WITH known AS NOT MATERIALIZED (
           SELECT * FROM fact WHERE kind = 'receiver' AND subject = $1 AND ($2::bigint IS NULL OR at <= $2))
         SELECT data FROM (
           (SELECT at, seq, data FROM known ORDER BY at, seq LIMIT 1)
           UNION (SELECT at, seq, data FROM known WHERE is_answered ORDER BY at DESC, seq DESC LIMIT 1)
           UNION (SELECT at, seq, data FROM known ORDER BY at DESC, seq DESC LIMIT 1)
         ) AS read ORDER BY at, seq`,
        [toKey(networkAddressKey(network, address)), Number.isFinite(until) ? until : null],
      ),
    reports: () => read<Report>(`SELECT data FROM newest WHERE kind = 'report' ORDER BY subject`),
    async countReceivers() {
      const [found] = await database.query<{ count: string }>('SELECT count(*) FROM receiver')
      return Number(found?.count ?? 0)
    },
  }
}

/** Writes listings, purchases, announcements, receivers, reports and control probes among some facts. */
export async function writeRecords(client: PoolClient, facts: readonly Fact[]): Promise<void> {
  const stored = facts.filter(isStored)
  if (stored.length > 0) {
    await client.query(
      `INSERT INTO fact (kind, subject, host, is_answered, at, data)
       SELECT kind, subject, host, is_answered, at, data
       FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::bigint[], $6::text[])
         WITH ORDINALITY AS row (kind, subject, host, is_answered, at, data, place) ORDER BY place`,
      [
        stored.map(({ kind }) => kind),
        stored.map((fact) => toKey(subjectOf(fact))),
        stored.map((fact) => (fact.kind === 'purchase' ? toKey(fact.host) : null)),
        stored.map((fact) => fact.kind === 'receiver' && (fact.sanctions?.isListed ?? null) !== null),
        stored.map(({ at }) => at),
        stored.map((fact) => JSON.stringify(fact)),
      ],
    )
  }
  const receivers = new Set(stored.flatMap((fact) => (fact.kind === 'receiver' ? [subjectOf(fact)] : [])))
  if (receivers.size > 0) {
    await client.query(
      'INSERT INTO receiver SELECT * FROM unnest($1::text[]) AS subject ORDER BY 1 ON CONFLICT DO NOTHING',
      [[...receivers].sort().map(toKey)],
    )
  }
  for (const fact of facts) {
    if (fact.kind === 'report') await writeNewest(client, 'report', fact.report.date, fact.at, fact.report)
    if (fact.kind === 'observation' && fact.purpose === 'control')
      await writeNewest(client, 'control', fact.host, fact.at, fact)
  }
  const listings = stored.filter((fact) => fact.kind === 'listing')
  await addDue(
    client,
    'looks',
    listings.map(({ endpoint, at }) => ({ key: endpoint, at })),
  )
}

/** Replaces a record that is not newer. */
async function writeNewest(client: PoolClient, kind: string, subject: string, at: number, data: unknown) {
  await client.query(
    `INSERT INTO newest (kind, subject, at, data) VALUES ($1, $2, $3, $4)
     ON CONFLICT (kind, subject) DO UPDATE SET at = excluded.at, data = excluded.data WHERE newest.at <= excluded.at`,
    [kind, toKey(subject), at, JSON.stringify(data)],
  )
}

function isStored(fact: Fact): fact is Stored {
  const { kind } = fact
  return kind === 'listing' || kind === 'purchase' || kind === 'announcement' || kind === 'receiver'
}

function subjectOf(fact: Stored): string {
  if (fact.kind === 'receiver') return networkAddressKey(fact.network, fact.address)
  return fact.kind === 'announcement' ? fact.host : fact.endpoint
}
