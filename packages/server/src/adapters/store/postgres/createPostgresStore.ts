import type { Store } from '../../../ports/store.ts'
import { compactDatabase, type DatabaseCompaction } from './compactDatabase.ts'
import { createPostgresClaims } from './createPostgresClaims.ts'
import { createPostgresDocuments, type PostgresDocuments } from './createPostgresDocuments.ts'
import { createPostgresFacts } from './createPostgresFacts.ts'
import { type Database, type DatabaseOptions, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'

/** Settings of the store on PostgreSQL. */
export type PostgresStoreOptions = DatabaseOptions & {
  /** Real time, milliseconds since 1970. @default Date.now */
  readonly now?: () => number
  /** Observations are kept one by one for this many days before the newest one, then folded into days. @default 90 */
  readonly retentionDays?: number
  /** Takes what went wrong in the hourly compaction. @default nothing is done with it */
  readonly onError?: (error: unknown) => void
}

/** A large table may take long to change, and another process that does so is waited for. */
const MIGRATION_TIMEOUT_MS = 30 * 60_000
const COMPACT_EVERY_MS = 3_600_000

/** The store on PostgreSQL, with what only it can do. */
export type PostgresStore = Store &
  Pick<PostgresDocuments, 'watchHosts'> & {
    /** Names of the migrations that opening it ran. */
    readonly migrated: readonly string[]
    /** The connections, for records that other rooms keep in the same database. */
    readonly database: Pick<Database, 'query'>
    /** Folds observations older than the retention and lets go of old answers; happens by itself each hour. */
    compact(): Promise<DatabaseCompaction>
  }

/**
 * Opens the store on PostgreSQL, bringing the database to the shape it wants first. Any number of processes may share
 * one database: claims are decided there, and every read sees what any of them has written.
 *
 * @throws StoreOpenError when the URL cannot be used or the database is newer than this program.
 * @throws StoreUnavailableError when the database cannot be reached.
 */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const now = options.now ?? Date.now
  const migrated = await migrateDatabase(options)
  const database = openDatabase(options)
  const compact = () => compactDatabase(database, options.retentionDays ?? 90, now())
  // Every process does so: what another one has folded is found folded.
  const timer = setInterval(
    () => void compact().catch(options.onError ?? (() => undefined)),
    COMPACT_EVERY_MS,
  )
  timer.unref()
  return {
    migrated,
    ...createPostgresFacts(database),
    ...createPostgresDocuments(database),
    claims: createPostgresClaims(database, now),
    database,
    compact,
    close() {
      clearInterval(timer)
      return database.close()
    },
  }
}

/**
 * Brings a database to the shape that this version wants, without opening the store; returns the names of the steps.
 *
 * @throws as `createPostgresStore` does.
 */
export async function migrateDatabase(options: DatabaseOptions): Promise<string[]> {
  const database = openDatabase({ ...options, connections: 1, statementTimeoutMs: MIGRATION_TIMEOUT_MS })
  try {
    return await migrate(database)
  } finally {
    await database.close()
  }
}
