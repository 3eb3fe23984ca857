import { HOUR, MINUTE } from '../../../domain/facts/times.ts'
import type { Store } from '../../../ports/oldStore.ts'
import { compactDatabase, type DatabaseCompaction } from './compactDatabase.ts'
import { createPostgresClaims } from './createPostgresClaims.ts'
import { createPostgresDocuments, type PostgresDocuments } from './createPostgresDocuments.ts'
import { createPostgresFacts } from './createPostgresFacts.ts'
import { type Database, type DatabaseOptions, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations.ts'

/** Options of `createPostgresStore`. */
export type PostgresStoreOptions = DatabaseOptions & {
  /** Unix time in ms. @default Date.now */
  readonly now?: () => number
  /** Age in days, relative to the newest observation, at which observations are folded into days. @default 90 */
  readonly retentionDays?: number
  /** Receives errors of the hourly compaction. @default ignored */
  readonly onError?: (error: unknown) => void
}

/** A large table takes long to change, and a process waits while another one migrates. */
const MIGRATION_TIMEOUT_MS = 30 * MINUTE

/** The store on PostgreSQL. */
export type PostgresStore = Store &
  Pick<PostgresDocuments, 'watchHosts'> & {
    /** Names of the migrations that ran on opening. */
    readonly migrated: readonly string[]
    /** Connections, for other records in the same database. */
    readonly database: Pick<Database, 'query'>
    /** Folds observations past the retention and removes expired answers; runs by itself each hour. */
    compact(): Promise<DatabaseCompaction>
  }

/**
 * Opens the store on PostgreSQL after migrating the database. Any number of processes may share one database: it decides
 * claims, and every read sees the writes of all of them.
 * @throws StoreOpenError if the URL is invalid or the database is newer than this program
 * @throws StoreUnavailableError if the database cannot be reached
 */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const now = options.now ?? Date.now
  const migrated = await migrateDatabase(options)
  const database = openDatabase(options)
  const compact = () => compactDatabase(database, options.retentionDays ?? 90, now())
  const timer = setInterval(() => void compact().catch(options.onError ?? (() => undefined)), HOUR)
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
 * Migrates a database to the schema of this version. Returns the names of the migrations that ran.
 * @throws like `createPostgresStore`
 */
export async function migrateDatabase(options: DatabaseOptions): Promise<string[]> {
  const database = openDatabase({ ...options, connections: 1, statementTimeoutMs: MIGRATION_TIMEOUT_MS })
  try {
    // This store reads the tables of the first three.
    return await migrate(database, MIGRATIONS.slice(0, 3))
  } finally {
    await database.close()
  }
}
