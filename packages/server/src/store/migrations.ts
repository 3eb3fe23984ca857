import { type ColumnDataType, type Kysely, type Migration, Migrator, type RawBuilder, sql } from 'kysely'
import { messageOf } from '../errors.ts'
import { StoreOpenError } from '../facts/storeError.ts'
import { type Column, type Db, START, type Table } from './schema.ts'
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

/** All migrations by name, in their order. A released one is never changed; each has a test that opens the one before. */
export const createMigrations = (dialect: Dialect): Record<string, Migration> => ({
  '0001_start': {
    async up(db) {
      for (const [name, table] of Object.entries(START)) await createTable(db, dialect, name, table)
    },
  },
})

type Kinds = Readonly<Record<Column['kind'], ColumnDataType | RawBuilder<unknown>>>

const SQLITE_KINDS: Kinds = {
  number: 'integer',
  text: 'text',
  integer: 'integer',
  big: 'integer',
  real: 'real',
  blob: 'blob',
}
const POSTGRES_KINDS: Kinds = {
  number: 'bigint',
  integer: 'integer',
  big: 'bigint',
  real: 'double precision',
  blob: 'bytea',
  // Texts are ordered by their bytes, as SQLite does.
  text: sql`text collate "C"`,
}

async function createTable(db: Kysely<unknown>, { name: engine }: Dialect, name: string, table: Table) {
  const kinds = engine === 'sqlite' ? SQLITE_KINDS : POSTGRES_KINDS
  const isNumbered = table.columns.id?.kind === 'number'
  const hasBlobs = Object.values(table.columns).some(({ kind }) => kind === 'blob')
  let builder = db.schema.createTable(name)
  for (const [column, { kind, isNullable }] of Object.entries(table.columns))
    builder = builder.addColumn(column, kinds[kind], (made) => {
      if (kind !== 'number') return isNullable ? made : made.notNull()
      return engine === 'sqlite'
        ? made.primaryKey().autoIncrement()
        : made.primaryKey().generatedByDefaultAsIdentity()
    })
  if (!isNumbered) builder = builder.addPrimaryKeyConstraint(`${name}_key`, [...table.key] as never[])
  for (const columns of table.unique ?? [])
    builder = builder.addUniqueConstraint(`${name}_by_${columns.join('_')}`, [...columns] as never[])
  // Rows that are found by their key alone stand in its order.
  const isClustered = engine === 'sqlite' && !isNumbered && !hasBlobs
  await (isClustered ? builder.modifyEnd(sql`without rowid`) : builder).execute()
  for (const columns of table.indexes ?? [])
    await db.schema
      .createIndex(`${name}_by_${columns.join('_')}`)
      .on(name)
      .columns([...columns])
      .execute()
}
