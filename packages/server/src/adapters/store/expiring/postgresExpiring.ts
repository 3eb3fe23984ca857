import type { ExpiringDocument, ExpiringStore } from '../../../ports/expiring.ts'
import type { Database } from '../postgres/database.ts'
import { behindPrefix, fromKey, toKey } from '../postgres/keyText.ts'

type Row = { kind: string; id: string; expires_at: string; data: string }

/** Expired documents that one write drops at most. */
const MAX_DROPPED = 100
const PAGE = 500

/** Creates the documents with an expiry in PostgreSQL, which all processes share. */
export function createPostgresExpiring(database: Pick<Database, 'query'>): ExpiringStore {
  return {
    async put(document, now) {
      await putExpiring(database, document)
      await database.query(
        `DELETE FROM expiring WHERE (kind, id) IN
           (SELECT kind, id FROM expiring WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`,
        [now, MAX_DROPPED],
      )
    },
    async get(kind, id, now) {
      const [row] = await database.query<Row>(
        'SELECT * FROM expiring WHERE kind = $1 AND id = $2 AND expires_at > $3',
        [toKey(kind), toKey(id), now],
      )
      return row && parse(row)
    },
    async *list(kind, prefix, now) {
      const from = toKey(prefix)
      const query = `SELECT * FROM expiring WHERE kind = $1 AND id > $2 AND id >= $3 AND id < $4 AND expires_at > $5
        ORDER BY id LIMIT $6`
      const read = (after = '') =>
        database.query<Row>(query, [toKey(kind), after, from, behindPrefix(from), now, PAGE])
      yield* readPages((after) => read(after?.id))
    },
    async remove(kind, id) {
      const gone = await database.query('DELETE FROM expiring WHERE kind = $1 AND id = $2 RETURNING id', [
        toKey(kind),
        toKey(id),
      ])
      return gone.length > 0
    },
    async *all() {
      const query = 'SELECT * FROM expiring WHERE (kind, id) > ($1, $2) ORDER BY kind, id LIMIT $3'
      yield* readPages((after) => database.query<Row>(query, [after?.kind ?? '', after?.id ?? '', PAGE]))
    },
  }
}

/** Reads documents page by page. @param read returns those behind a row */
async function* readPages(read: (after: Row | undefined) => Promise<Row[]>): AsyncIterable<ExpiringDocument> {
  for (let rows = await read(undefined); ; rows = await read(rows.at(-1))) {
    for (const row of rows) yield parse(row)
    if (rows.length < PAGE) return
  }
}

/** Writes or replaces one document. */
export async function putExpiring(
  database: Pick<Database, 'query'>,
  { kind, id, expiresAt, data }: ExpiringDocument,
): Promise<void> {
  await database.query(
    `INSERT INTO expiring (kind, id, expires_at, data) VALUES ($1, $2, $3, $4)
     ON CONFLICT (kind, id) DO UPDATE SET expires_at = excluded.expires_at, data = excluded.data`,
    [toKey(kind), toKey(id), expiresAt, JSON.stringify(data)],
  )
}

const parse = ({ kind, id, expires_at: expiresAt, data }: Row): ExpiringDocument => ({
  kind: fromKey(kind),
  id: fromKey(id),
  expiresAt: Number(expiresAt),
  data: JSON.parse(data),
})
