import pg from 'pg'
import { DAY } from '../../../domain/facts/times.ts'
import { describeStore } from '../testing/describeStore.ts'
import { NOON } from '../testing/records.ts'
import { usePostgres } from '../testing/usePostgres.ts'
import { openPostgresStore } from './openPostgresStore.ts'

const emptyDatabase = usePostgres()
let database: ReturnType<typeof emptyDatabase> | undefined

/** Deletes all records. Creating the tables anew takes several times as long. */
async function empty({ url, schema }: ReturnType<typeof emptyDatabase>): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename NOT IN ('migration', 'log_state')`,
    [schema],
  )
  const deletions = rows.map(({ name }) => `DELETE FROM ${name}`)
  await client.query([...deletions, 'UPDATE log_state SET size = 0, head = NULL'].join(';'))
  await client.end()
}

describeStore('postgres', async () => {
  database ??= emptyDatabase()
  const place = database
  return {
    async open(options = {}) {
      if (options.retentionDays === undefined) return openPostgresStore({ ...place, ...options })
      // Retention is hourly work, so that each look is followed by it; the looks of these tests are ahead of their clock.
      const store = await openPostgresStore({ ...place, ...options, now: () => NOON + 60 * DAY })
      return {
        ...store,
        async putEndpoint(document, written) {
          await store.putEndpoint(document, written)
          await store.compact()
        },
      }
    },
    remove: () => empty(place),
  }
})
