import { openPostgres, openSqlite, sql } from '@touchstone402/server/testing'

/** Where a store is. */
export type Place = { readonly databaseUrl: string | null; readonly dataDir: string }

/** A connection for statements of our own. */
export type Db = Awaited<ReturnType<typeof openSqlite>>['db']

/** Migrates a store and runs SQL on it, without time limits and without waiting for the disk. */
export async function withSql<T>(
  { databaseUrl, dataDir }: Place,
  work: (db: Db, engine: 'sqlite' | 'postgres') => Promise<T>,
): Promise<T> {
  const engine =
    databaseUrl === null
      ? await openSqlite({ directory: dataDir })
      : await openPostgres({ url: databaseUrl, connections: 2 })
  const { name } = engine.dialect
  const settings =
    name === 'sqlite'
      ? ['pragma query_only = off', 'pragma synchronous = off']
      : ['set statement_timeout = 0', 'set synchronous_commit = off']
  try {
    return await engine.db.connection().execute(async (db) => {
      for (const setting of settings) await sql.raw(setting).execute(db)
      return work(db, name)
    })
  } finally {
    await engine.close()
  }
}
