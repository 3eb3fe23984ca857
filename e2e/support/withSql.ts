import { openStore, type Store, sql } from '@touchstone402/server/testing'

/** Where a store is. */
export type Place = { readonly databaseUrl: string | null; readonly dataDir: string }

/** A connection for statements of our own. */
export type Db = Store['db']

/** Migrates a store and runs SQL on it, without time limits and without waiting for the disk. */
export async function withSql<T>(
  { databaseUrl, dataDir }: Place,
  work: (db: Db, engine: 'sqlite' | 'postgres') => Promise<T>,
): Promise<T> {
  const store = await openStore({ databaseUrl, dataDir, connections: 2 })
  const { name } = store.dialect
  const settings =
    name === 'sqlite'
      ? ['pragma query_only = off', 'pragma synchronous = off']
      : ['set statement_timeout = 0', 'set synchronous_commit = off']
  try {
    return await store.db.connection().execute(async (db) => {
      for (const setting of settings) await sql.raw(setting).execute(db)
      return work(db, name)
    })
  } finally {
    await store.close()
  }
}
