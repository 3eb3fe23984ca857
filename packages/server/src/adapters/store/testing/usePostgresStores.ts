import pg from 'pg'
import { beforeEach } from 'vitest'
import {
  openPostgresStore,
  type PostgresStore,
  type PostgresStoreOptions,
} from '../postgres/openPostgresStore.ts'
import { NOON } from './records.ts'
import { usePostgres } from './usePostgres.ts'

/** The database of a test, which several stores share. */
export type TestDatabase = {
  readonly schema: string
  /** Opens a store, at noon unless told otherwise. It is closed after the test. */
  open(options?: Partial<PostgresStoreOptions>): Promise<PostgresStore>
  /** Runs a statement and returns its rows. */
  sql<Row extends pg.QueryResultRow>(text: string): Promise<Row[]>
}

/** Starts a PostgreSQL server for a test file and gives each test an empty database. */
export function usePostgresStores(): TestDatabase {
  const emptyDatabase = usePostgres()
  let database = { url: '', schema: '' }
  let opened: PostgresStore[] = []
  beforeEach(() => {
    database = emptyDatabase()
    return async () => {
      await Promise.all(opened.map((store) => store.close()))
      opened = []
    }
  })
  return {
    get schema() {
      return database.schema
    },
    async open(options = {}) {
      const store = await openPostgresStore({ ...database, now: () => NOON, ...options })
      opened.push(store)
      return store
    },
    async sql<Row extends pg.QueryResultRow>(text: string) {
      const client = new pg.Client({
        connectionString: database.url,
        options: `-c search_path=${database.schema}`,
      })
      await client.connect()
      const { rows } = await client.query<Row>(text)
      await client.end()
      return rows
    },
  }
}
