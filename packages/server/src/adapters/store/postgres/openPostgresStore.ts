import { StoreOpenError } from '../../../domain/facts/storeError.ts'
import { DAY, HOUR, MINUTE } from '../../../domain/facts/times.ts'
import { carry } from '../../../domain/judge/memory/carried.ts'
import type { Store } from '../../../ports/store.ts'
import { createPostgresExpiring } from '../expiring/postgresExpiring.ts'
import { createLogStore } from '../log/postgresLog.ts'
import { createAllFacts } from './allFacts.ts'
import { createPostgresClaims } from './createPostgresClaims.ts'
import { type Database, type DatabaseOptions, openDatabase } from './database.ts'
import { createDays } from './days.ts'
import { createDocuments } from './documents.ts'
import { createDueLists } from './due.ts'
import { createFeeds } from './feeds.ts'
import { createLooks } from './looks.ts'
import { migrate } from './migrate.ts'
import { createPartitions } from './partitions.ts'
import { createRecords, type Records } from './records.ts'
import { createRetention, type DatabaseCompaction } from './retention.ts'
import { createTotals } from './totals.ts'
import { createWatch } from './watch.ts'
import { createWrites } from './writes.ts'

/** Options of `openPostgresStore`. */
export type PostgresStoreOptions = DatabaseOptions & {
  /** Unix time in ms. @default Date.now */
  readonly now?: () => number
  /** Age in days, relative to the newest look, at which looks are dropped. @default 90 */
  readonly retentionDays?: number
  /** Carries what a judgement needs over looks. @default the rules of this version */
  readonly carry?: typeof carry
  /** Receives errors of hourly work. @default ignored */
  readonly onError?: (error: unknown) => void
}

/** A large table takes long to change, and a process waits while another one migrates. */
const MIGRATION_TIMEOUT_MS = 30 * MINUTE

/** The store on PostgreSQL. */
export type PostgresStore = Store &
  Pick<Records, 'countReceivers'> & {
    /** Names of the migrations that ran on opening. */
    readonly migrated: readonly string[]
    /** Connections, for other records in the same database. */
    readonly database: Pick<Database, 'query'>
    /** Drops looks past the retention and expired answers; runs by itself each hour. */
    compact(): Promise<DatabaseCompaction>
  }

/**
 * Opens the store on PostgreSQL after migrating the database. Any number of processes may share one database: it decides
 * claims, and every read sees the writes of all of them. Nothing is loaded or kept in memory.
 * @throws StoreOpenError if the URL is invalid, the database is newer than this program, or a copy into it has not ended
 * @throws StoreUnavailableError if the database cannot be reached
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { now = Date.now, retentionDays = 90, onError = () => undefined } = options
  const migrated = await migrateDatabase(options)
  const database = openDatabase(options)
  const partitions = createPartitions(database, now, retentionDays)
  const compact = createRetention({ carry, retentionDays, ...options, database, partitions, now })
  const watching = new Set<() => Promise<void>>()
  const watch = createWatch(database)
  const records = createRecords(database)
  let diskBytes: number | null = null

  const measure = async (): Promise<void> => {
    const [size] = await database.query<{ bytes: string | null }>(
      `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
       WHERE relnamespace = to_regnamespace($1) AND relkind = 'r'`,
      [database.schema],
    )
    diskBytes = Number(size?.bytes ?? 0)
  }
  const work = async (): Promise<void> => {
    await partitions.ensure([0, 1, 2].map((days) => now() + days * DAY))
    await compact()
    await measure()
  }
  const timer = setInterval(() => void work().catch(onError), HOUR)
  // Soon too, in case that the process never lives for an hour.
  const soon = setTimeout(() => void work().catch(onError), MINUTE)
  timer.unref()
  soon.unref()
  const stopTimers = () => {
    clearInterval(timer)
    clearTimeout(soon)
  }
  try {
    await refuseCopying(database)
    await partitions.ensure([now()])
    await measure()
  } catch (error) {
    stopTimers()
    await database.close()
    throw error
  }

  return {
    migrated,
    ...createWrites(database, partitions),
    ...createDocuments(database),
    ...records,
    ...createFeeds(database),
    ...createLooks(database),
    ...createTotals(database),
    ...createDueLists(database),
    days: createDays(database),
    facts: createAllFacts(database),
    claims: createPostgresClaims(database, now),
    log: createLogStore(database),
    expiring: createPostgresExpiring(database),
    async watch(onChange) {
      const stop = await watch(onChange)
      watching.add(stop)
      return async () => {
        watching.delete(stop)
        await stop()
      }
    },
    stats: () => ({ diskBytes, rowsRead: database.rowsRead() }),
    database,
    compact,
    async close() {
      stopTimers()
      await Promise.all([...watching].map((stop) => stop()))
      await database.close()
    },
  }
}

async function refuseCopying(database: Database): Promise<void> {
  const [copying] = await database.query('SELECT 1 FROM copying')
  if (copying) throw new StoreOpenError('A copy into this database has not ended: run it again')
}

/**
 * Migrates a database to the schema of this version. Returns the names of the migrations that ran.
 * @throws like `openPostgresStore`
 */
export async function migrateDatabase(options: DatabaseOptions): Promise<string[]> {
  const database = openDatabase({ ...options, connections: 2, statementTimeoutMs: MIGRATION_TIMEOUT_MS })
  try {
    return await migrate(database)
  } finally {
    await database.close()
  }
}
