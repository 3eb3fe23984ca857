import type { PoolClient } from 'pg'
import type { EndpointDocument } from '../../../domain/facts/hostDocument.ts'
import { decisionKey } from '../../../domain/facts/leaves.ts'
import type { Store, StoredState } from '../../../ports/store.ts'
import { readTogether } from '../readTogether.ts'
import type { Database } from './database.ts'
import { updateHost } from './hostTotals.ts'
import { toKey } from './keyText.ts'
import { prepared } from './prepared.ts'
import { payloadOf } from './watch.ts'

/** The part of a store that reads documents. */
export type Documents = Pick<Store, 'endpoint' | 'state' | 'host' | 'summary' | 'newestAt'>

type StateRow = { readonly state: string; readonly is_logged: boolean; readonly index: string | null }
type DocumentRow = StateRow & { readonly carried: string }

/** Creates it. */
export function createDocuments(database: Database): Documents {
  const readState = readTogether((endpoints) => readRows<StateRow>(database, 'state', endpoints))
  return {
    async endpoint(endpoint) {
      const rows = await readRows<DocumentRow>(database, 'state, carried', [endpoint])
      const row = rows.get(endpoint)
      return row && { ...toState(row), carried: JSON.parse(row.carried) }
    },
    async state(endpoint) {
      const row = await readState(endpoint)
      return row && toState(row)
    },
    async host(host) {
      const rows = await database.query<{ state: string; updated_at: string }>(
        `SELECT endpoint.state, summary.updated_at FROM summary JOIN endpoint USING (host)
         WHERE host = $1 AND state IS NOT NULL ORDER BY endpoint.endpoint`,
        [toKey(host)],
      )
      const [first] = rows
      if (!first) return undefined
      return {
        host,
        endpoints: rows.map(({ state }) => JSON.parse(state)),
        updatedAt: Number(first.updated_at),
      }
    },
    async summary(host) {
      const [row] = await database.query<{ data: string }>('SELECT data FROM summary WHERE host = $1', [
        toKey(host),
      ])
      return row && JSON.parse(row.data)
    },
    async newestAt() {
      const [row] = await database.query<{ at: string | null }>('SELECT max(updated_at) AS at FROM summary')
      return row?.at == null ? null : Number(row.at)
    },
  }
}

/** Reads columns of judged endpoints, by endpoint. */
async function readRows<Row extends StateRow>(
  database: Database,
  columns: 'state' | 'state, carried',
  endpoints: readonly string[],
): Promise<ReadonlyMap<string, Row>> {
  const rows = await database.query<Row & { place: string }>(
    prepared(
      `SELECT place, ${columns}, log_key.key IS NOT NULL AS is_logged, index
       FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (endpoint, decision, place)
       JOIN endpoint USING (endpoint) LEFT JOIN log_key ON log_key.key = decision WHERE state IS NOT NULL`,
      [endpoints.map(toKey), endpoints.map((endpoint) => toKey(decisionKey(endpoint)))],
    ),
  )
  return new Map(rows.map((row) => [endpoints[Number(row.place) - 1] ?? '', row]))
}

function toState({ state, is_logged, index }: StateRow): StoredState {
  const logIndex = index === null ? null : Number(index)
  return { state: JSON.parse(state), ...(is_logged && { logIndex }) }
}

/** Replaces documents of one host and all that follows from them. The endpoints must have numbers. */
export async function writeDocuments(
  client: PoolClient,
  schema: string,
  documents: readonly [EndpointDocument, ...EndpointDocument[]],
): Promise<void> {
  const [first, ...others] = documents
  for (const { state, carried } of documents) {
    const { endpoint, host, nextProbeAt } = state
    await client.query(
      prepared(
        `WITH written AS (UPDATE endpoint SET host = $2, state = $3, carried = $4 WHERE endpoint = $1),
         due AS (INSERT INTO due (list, key, at) VALUES ('looks', $1, $5)
           ON CONFLICT (list, key) DO UPDATE SET at = excluded.at)
         SELECT pg_notify($6, $7)`,
        [
          toKey(endpoint),
          toKey(host),
          JSON.stringify(state),
          JSON.stringify(carried),
          nextProbeAt,
          schema,
          payloadOf({ host, endpoint }),
        ],
      ),
    )
  }
  await updateHost(client, [first.state, ...others.map(({ state }) => state)])
}
