import type { Store } from '../../../ports/oldStore.ts'
import type { Database } from './database.ts'

type Row = { host: string; data: string }

/** Documents on PostgreSQL, with notifications of writes by other processes. */
export type PostgresDocuments = Pick<Store, 'putHost' | 'getHost' | 'hosts'> & {
  /**
   * Calls `listener` with the name of each host whose document any process writes, or with null if any document may
   * have been written: after a lost connection, or for a name too long to notify. Resolves once listening.
   */
  watchHosts(listener: (host: string | null) => void): Promise<() => Promise<void>>
}

/** Number of documents per query when all are read. */
const PAGE = 200
const RECONNECT_MS = 1_000
/** Maximum length of a notification; PostgreSQL allows 8,000 bytes. */
const LONGEST_NAME = 7_900

/** Creates documents on a database. */
export function createPostgresDocuments(database: Database): PostgresDocuments {
  return {
    async putHost(document) {
      await database.query(
        `WITH written AS (
           INSERT INTO document (host, updated_at, data) VALUES ($1, $2, $3)
           ON CONFLICT (host) DO UPDATE SET updated_at = excluded.updated_at, data = excluded.data
           RETURNING host)
         SELECT pg_notify($4, CASE WHEN length($1) < $5 THEN $1 ELSE '' END) FROM written`,
        [document.host, document.updatedAt, JSON.stringify(document), database.schema, LONGEST_NAME],
      )
    },
    async getHost(host) {
      const [row] = await database.query<Row>('SELECT host, data FROM document WHERE host = $1', [host])
      return row && JSON.parse(row.data)
    },
    async *hosts() {
      let last: string | undefined
      do {
        const rows: Row[] = await database.query<Row>(
          'SELECT host, data FROM document WHERE $1::text IS NULL OR host > $1 ORDER BY host LIMIT $2',
          [last ?? null, PAGE],
        )
        for (const row of rows) yield JSON.parse(row.data)
        last = rows.length < PAGE ? undefined : rows.at(-1)?.host
      } while (last !== undefined)
    },
    async watchHosts(listener) {
      let stopped = false
      let release: (() => void) | undefined
      let timer: NodeJS.Timeout | undefined

      const listen = async (): Promise<void> => {
        const client = await database.connect()
        let isOver = false
        const end = (): void => {
          if (isOver) return
          isOver = true
          client.release(true)
        }
        release = end
        client.on('notification', ({ payload }) => {
          if (!stopped) listener(payload || null)
        })
        client.on('error', () => {
          end()
          if (!stopped) again()
        })
        client.on('end', () => {
          if (!stopped && !isOver) again()
          end()
        })
        await client.query(`LISTEN "${database.schema}"`)
      }
      const again = (): void => {
        timer = setTimeout(() => {
          listen().then(() => listener(null), again)
        }, RECONNECT_MS)
        timer.unref()
      }

      await listen()
      return async () => {
        stopped = true
        clearTimeout(timer)
        release?.()
      }
    },
  }
}
