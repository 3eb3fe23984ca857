import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { ArgumentsOf, ResultOf, UnitName } from '../engine.ts'
import type { Db, Tables } from '../schema.ts'
import { SQLITE } from '../sqliteFile.ts'
import { createStore, type Store } from '../store.ts'

/** Units that take the place of those of a store. */
export type Units = { [K in UnitName]?: (...args: ArgumentsOf<K>) => Promise<ResultOf<K>> }

/** Rows that a query reads. */
type Rows = readonly Readonly<Record<string, unknown>>[]

/** Returns the store with some units replaced. */
export function withUnits<S extends Store>(store: S, units: Units): S {
  const write = <K extends UnitName>(name: K, ...args: ArgumentsOf<K>): Promise<ResultOf<K>> =>
    units[name]?.(...args) ?? store.write(name, ...args)
  return { ...store, write }
}

/**
 * Returns a store in memory with the rows that queries of a table read passed through `change`, which may count them, replace
 * them, wait, or throw.
 */
export function withReads<S extends Store>(
  store: S,
  table: keyof Tables,
  change: (rows: Rows, query: CompiledQuery) => Rows | Promise<Rows>,
): S {
  const isOfTable = new RegExp(`(from|join) "${table}"`)
  const db = createDb(async (query) => {
    const { rows } = await store.db.executeQuery<Rows[number]>(query)
    return isOfTable.test(query.sql) ? change(rows, query) : rows
  })
  return { ...store, db }
}

/** Creates a store whose queries are answered by a function, for more records than a test can write. Nothing can be written. */
export function createAnsweredStore(answer: (query: CompiledQuery) => Rows): Store {
  const refuse = () => Promise.reject(new Error('nothing is written'))
  return createStore({
    dialect: SQLITE,
    db: createDb(answer),
    write: refuse,
    count: refuse,
    watch: async () => async () => {},
    diskBytes: async () => 0,
    close: async () => {},
  })
}

/** Creates a database whose queries are answered by a function. */
function createDb(answer: (query: CompiledQuery) => Rows | Promise<Rows>): Db {
  const driver = new DummyDriver()
  driver.acquireConnection = async () => ({
    executeQuery: async (query) => ({ rows: [...(await answer(query))] as never[] }),
    async *streamQuery() {},
  })
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}
