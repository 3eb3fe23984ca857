import { Migrator } from 'kysely'
import { messageOf } from '../errors.ts'
import { StoreOpenError } from '../facts/storeError.ts'
import { createMigrations } from './migrations.ts'
import type { Db } from './schema.ts'
import type { Dialect } from './tx.ts'

/** Where to migrate to. */
export type MigrateOptions = {
  /** Name of the schema, for PostgreSQL. */
  readonly schema?: string
  /** Name of the last migration to run. @default all of them */
  readonly last?: string
}

/**
 * Migrates the tables to this version.
 * @throws StoreOpenError if a newer version made them
 */
export async function migrate(
  db: Db,
  dialect: Dialect,
  { schema, last }: MigrateOptions = {},
): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => createMigrations(dialect) },
    ...(schema !== undefined && { migrationTableSchema: schema }),
  })
  const { error } = await (last === undefined ? migrator.migrateToLatest() : migrator.migrateTo(last))
  if (error === undefined) return
  if (/missing/.test(messageOf(error)))
    throw new StoreOpenError('The data was written by a newer version of this program', { cause: error })
  throw error
}
