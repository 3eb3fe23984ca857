import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Tables } from '../schema.ts'
import { SQLITE } from '../sqliteFile.ts'
import { createStore, type Store } from '../store.ts'

/** Creates a store whose queries are answered by a function, for more records than a test can write. Nothing can be written. */
export function createAnsweredStore(answer: (query: CompiledQuery) => readonly unknown[]): Store {
  const refuse = () => Promise.reject(new Error('nothing is written'))
  const driver = new DummyDriver()
  const connection = {
    executeQuery: async (query: CompiledQuery) => ({ rows: answer(query) as never[] }),
    async *streamQuery() {},
  }
  driver.acquireConnection = async () => connection
  return createStore({
    dialect: SQLITE,
    db: new Kysely<Tables>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => driver,
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    }),
    write: refuse,
    count: refuse,
    watch: async () => async () => {},
    diskBytes: async () => 0,
    close: async () => {},
  })
}
