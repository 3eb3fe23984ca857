import type { PoolClient } from 'pg'
import { StoreOpenError } from '../../../domain/facts/storeError.ts'
import type { Database } from './database.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'

/** Key of the advisory lock, chosen to be unique in the database. */
const MIGRATION_LOCK = 7_402_402_001

/**
 * Migrates the database to the schema of this version. Returns the names of the migrations that ran.
 *
 * All migrations are one transaction under an advisory lock: of several processes that start at once one migrates, and
 * the others wait and find nothing to do.
 * @throws StoreOpenError if a newer version has migrated the database
 * @throws StoreUnavailableError if the database cannot be reached
 */
export function migrate(
  database: Database,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<string[]> {
  return database.transaction(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    await client.query(`CREATE SCHEMA IF NOT EXISTS "${database.schema}"`)
    await client.query(
      'CREATE TABLE IF NOT EXISTS migration (name text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())',
    )
    await refuseNewer(client, migrations)
    const { rows } = await client.query<{ name: string }>('SELECT name FROM migration')
    const done = new Set(rows.map(({ name }) => name))
    const missing = migrations.filter(({ name }) => !done.has(name))
    for (const { name, sql } of missing) {
      await client.query(sql)
      await client.query('INSERT INTO migration (name) VALUES ($1)', [name])
    }
    return missing.map(({ name }) => name)
  })
}

async function refuseNewer(client: PoolClient, migrations: readonly Migration[]): Promise<void> {
  const known = migrations.map(({ name }) => name)
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migration WHERE name <> ALL ($1)', [
    known,
  ])
  const [unknown] = rows
  if (unknown)
    throw new StoreOpenError(`A newer version of this program migrated the database (${unknown.name})`)
}
