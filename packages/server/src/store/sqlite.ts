import { existsSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Kysely, SqliteDialect, sql } from 'kysely'
import Database from 'libsql'
import { codeOf, messageOf } from '../errors.ts'
import {
  ClaimStateError,
  LeaseLostError,
  StoreOpenError,
  StoreUnavailableError,
} from '../facts/storeError.ts'
import { ifPresent, makeDataFolder } from '../lib/durableFiles.ts'
import { lockFile } from '../lib/lockFile.ts'
import type { Changed } from '../ports/store.ts'
import {
  type ArgumentsOf,
  createWatchers,
  type Engine,
  type UnitName,
  type UnitResult,
  type UnitRunner,
} from './engine.ts'
import { migrate } from './migrate.ts'
import type { Db, Tables } from './schema.ts'
import type { Dialect, Tx } from './tx.ts'
import { DURABLE, runUnit } from './units.ts'
import { createUnitThread } from './unitThread.ts'

/** How SQLite names things. */
export const SQLITE: Dialect = {
  name: 'sqlite',
  now: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
}

/** Name of the file within a data folder. */
export const STORE_FILE = 'touchstone.db'
export const LOCK_FILE = 'touchstone.lock'
/** Script of the thread, beside the built program. */
const THREAD = new URL('./unitsThread.js', import.meta.url)
/** How long a write waits for one of another process, such as a command, in ms. */
const BUSY_MS = 15_000

function connect(path: string, pragmas: readonly string[]): Database.Database {
  const database = new Database(path)
  for (const pragma of [`busy_timeout = ${BUSY_MS}`, ...pragmas]) database.pragma(pragma)
  return database
}

/** Number of prepared statements that a connection keeps. */
const KEPT_STATEMENTS = 500

/** Keeps the statements of a connection, since preparing one takes longer than a read by key. */
function toKysely(database: Database.Database): Db {
  const statements = new Map<string, Database.Statement>()
  const prepare = (text: string) => {
    const kept = statements.get(text)
    if (kept !== undefined) return kept
    if (statements.size === KEPT_STATEMENTS) statements.clear()
    const prepared = database.prepare(text)
    statements.set(text, prepared)
    return prepared
  }
  const kept = { prepare, close: () => database.close() }
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: kept as never }) })
}

/** Opens a connection for units that write. Nothing else is awaited in a unit, so nothing else runs in its transaction. */
export const openWriter = (path: string): UnitRunner => runUnits(connect(path, []), 'begin immediate')

/** Opens a connection for units that read, which hold up no writer. */
export const openCounter = (path: string): UnitRunner => runUnits(connect(path, ['query_only = on']), 'begin')

function runUnits(database: Database.Database, begin: 'begin' | 'begin immediate'): UnitRunner {
  const root = toKysely(database)
  let turn: Promise<unknown> = Promise.resolve()
  let isDurable: boolean | undefined

  const runOne = (name: UnitName, args: readonly unknown[]) =>
    root.connection().execute(async (db): Promise<UnitResult> => {
      if (isDurable !== DURABLE.has(name)) {
        isDurable = DURABLE.has(name)
        database.pragma(`synchronous = ${isDurable ? 'full' : 'normal'}`)
      }
      const changed: Changed[] = []
      const tx: Tx = { db, dialect: SQLITE, changed: (one) => changed.push(one) }
      database.exec(begin)
      try {
        const result = await runUnit(name, tx, args)
        database.exec('commit')
        return { result, changed }
      } catch (error) {
        if (database.inTransaction) database.exec('rollback')
        throw error
      }
    })
  return {
    run(name, args) {
      const ran = turn.then(() => runOne(name, args)).catch(refuse)
      turn = ran.catch(() => undefined)
      return ran
    },
    async close() {
      await turn
      database.close()
    },
  }
}

/** Rethrows an error; those of the database itself mean that it is unavailable. */
function refuse(error: unknown): never {
  if (error instanceof ClaimStateError || error instanceof LeaseLostError) throw error
  const isOfDatabase = error instanceof Database.SqliteError || codeOf(error)?.startsWith('SQLITE') === true
  const isClosed = error instanceof TypeError && /not open/.test(error.message)
  if (!isOfDatabase && !isClosed) throw error
  throw new StoreUnavailableError(`The store is unavailable: ${messageOf(error)}`, { cause: error })
}

/** Parts of an engine on SQLite. */
type SqliteParts = {
  readonly reader: Database.Database
  readonly writer: UnitRunner
  /** Opens the connection of what counts. */
  readonly openCounter: () => UnitRunner
  readonly diskBytes: () => Promise<number>
  readonly onClose: () => void
}

/** Creates the engine on opened connections. */
function createEngine({ reader, writer, openCounter, diskBytes, onClose }: SqliteParts): Engine {
  const watchers = createWatchers()
  let counter: UnitRunner | undefined
  let closing: Promise<void> | undefined

  const runIn = async (runner: UnitRunner, name: UnitName, args: readonly unknown[]) => {
    const { result, changed } = await runner.run(name, args)
    for (const one of changed) watchers.tell(one)
    return result
  }
  const close = async () => {
    await writer.close()
    if (counter !== writer) await counter?.close()
    onClose()
  }
  return {
    dialect: SQLITE,
    db: toKysely(reader),
    write: <K extends UnitName>(name: K, ...args: ArgumentsOf<K>) => runIn(writer, name, args) as never,
    count: <K extends UnitName>(name: K, ...args: ArgumentsOf<K>) => {
      counter ??= openCounter()
      return runIn(counter, name, args) as never
    },
    watch: async (onChange) => watchers.add(onChange),
    diskBytes,
    close() {
      closing ??= close()
      return closing
    },
  }
}

const damaged = (path: string, reason: string) =>
  new StoreOpenError(
    `${path} is damaged (${reason}): restore it from a back-up, or move it aside to start empty`,
  )

/** Bytes of the header: size of a page at 16, number of pages at 28. Source: https://sqlite.org/fileformat2.html */
const HEADER_BYTES = 100
const WAL_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/**
 * Refuses a file that was cut off. SQLite takes an empty one for a new store and may open others, so a loss would go
 * unreported.
 */
async function refuseCut(path: string): Promise<void> {
  const file = await ifPresent(open(path))
  if (file === undefined) return
  try {
    const { size } = await file.stat()
    const header = Buffer.alloc(HEADER_BYTES)
    await file.read(header, 0, HEADER_BYTES, 0)
    // 65536 does not fit.
    const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
    const wanted = pageBytes * header.readUInt32BE(28)
    if (size <= HEADER_BYTES) throw damaged(path, `it has ${size} bytes`)
    // The write-ahead log holds the rest if a checkpoint was interrupted: one page in each frame.
    const wal = await ifPresent(stat(`${path}-wal`))
    const kept = Math.floor(
      Math.max(0, (wal?.size ?? 0) - WAL_HEADER_BYTES) / (pageBytes + FRAME_HEADER_BYTES),
    )
    if (wanted - size > kept * pageBytes) throw damaged(path, `it has ${size} of ${wanted} bytes`)
  } finally {
    await file.close()
  }
}

/** Options of {@link openSqlite}. */
export type SqliteOptions = {
  /** Data folder. */
  readonly directory: string
  /** Whether another process may have the folder, as beside a running service. @default false */
  readonly isShared?: boolean
}

/**
 * Opens the file in a data folder. Writes run in a separate thread where the program is built, so that neither a
 * write to disk nor a checkpoint holds up the event loop; reads see the last commit.
 * @throws StoreOpenError if another service has the folder, a newer version made the file, or it is damaged
 */
export async function openSqlite({ directory, isShared = false }: SqliteOptions): Promise<Engine> {
  await makeDataFolder(directory)
  const path = join(directory, STORE_FILE)
  const unlock = isShared ? () => {} : lockFile(join(directory, LOCK_FILE))
  let first: Database.Database | undefined
  try {
    // Closing a file drops the locks that this process has on it, those of SQLite included, so only before its first
    // connection. Source: https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
    if (!isShared) await refuseCut(path)
    first = connect(path, ['journal_mode = wal'])
    await migrate(toKysely(first), SQLITE)
    // Earlier holders have ended: this process holds the lock of the folder.
    if (!isShared) first.exec('delete from lease')
  } catch (error) {
    unlock()
    if (/malformed|not a database/.test(messageOf(error))) throw damaged(path, messageOf(error))
    throw error
  } finally {
    first?.close()
  }
  const reader = connect(path, ['query_only = on'])
  const hasThreads = existsSync(fileURLToPath(THREAD))
  return createEngine({
    reader,
    writer: hasThreads ? createUnitThread(THREAD, { path, isCounter: false }) : openWriter(path),
    openCounter: () => (hasThreads ? createUnitThread(THREAD, { path, isCounter: true }) : openCounter(path)),
    async diskBytes() {
      const sizes = await Promise.all(['', '-wal'].map((end) => stat(path + end).catch(() => ({ size: 0 }))))
      return sizes.reduce((sum, { size }) => sum + size, 0)
    },
    onClose() {
      reader.close()
      unlock()
    },
  })
}

/** Creates an engine in memory with tables that are there; it is gone when it is closed. */
export function createMemoryEngine(tables: string): Engine {
  const database = new Database(':memory:')
  database.exec(tables)
  const writer = runUnits(database, 'begin immediate')
  // One connection: reads wait for the unit that runs.
  return createEngine({
    reader: database,
    writer,
    openCounter: () => writer,
    diskBytes: async () => 0,
    onClose: () => {},
  })
}
