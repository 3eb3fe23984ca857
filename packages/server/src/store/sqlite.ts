import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Kysely, SqliteDialect, type SqliteStatement, sql } from 'kysely'
import { codeOf, messageOf } from '../errors.ts'
import {
  ClaimStateError,
  LeaseLostError,
  StoreOpenError,
  StoreUnavailableError,
} from '../facts/storeError.ts'
import { type Database, findDamage, isMalformed, isOfDatabase, openDatabase } from '../lib/database.ts'
import { ifPresent, makeDataFolder, syncFolder, TEMPORARY } from '../lib/durableFiles.ts'
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
/** Number of prepared statements that a connection keeps. */
const KEPT_STATEMENTS = 500

const READ_ONLY = 'pragma query_only = on'

/** Keeps the statements of a connection, since preparing one takes longer than a read by key. */
export function toKysely(database: Database): Db {
  const statements = new Map<string, SqliteStatement>()
  const prepare = (text: string): SqliteStatement => {
    const kept = statements.get(text)
    if (kept !== undefined) return kept
    if (statements.size === KEPT_STATEMENTS) statements.clear()
    const prepared = database.prepare(text)
    const statement: SqliteStatement = {
      reader: prepared.columns().length > 0,
      all: (values) => prepared.all(...(values as never[])),
      run: (values) => prepared.run(...(values as never[])),
      iterate: (values) => prepared.iterate(...(values as never[])) as never,
    }
    statements.set(text, statement)
    return statement
  }
  return new Kysely<Tables>({
    dialect: new SqliteDialect({ database: { prepare, close: () => database.close() } }),
  })
}

/** Opens a connection for units that write. Nothing else is awaited in a unit, so nothing else runs in its transaction. */
export const openWriter = (path: string): UnitRunner => runUnits(openDatabase(path), 'begin immediate')

/** Opens a connection for units that read, which hold up no writer. */
export const openCounter = (path: string): UnitRunner =>
  runUnits(openDatabase(path, { setUp: READ_ONLY }), 'begin')

/** Runs units on a connection, each in a transaction. */
export function runUnits(database: Database, begin: 'begin' | 'begin immediate'): UnitRunner {
  const root = toKysely(database)
  let turn: Promise<unknown> = Promise.resolve()
  let isDurable: boolean | undefined

  const runOne = (name: UnitName, args: readonly unknown[]) =>
    root.connection().execute(async (db): Promise<UnitResult> => {
      if (isDurable !== DURABLE.has(name)) {
        isDurable = DURABLE.has(name)
        database.exec(`pragma synchronous = ${isDurable ? 'full' : 'normal'}`)
      }
      const changed: Changed[] = []
      const tx: Tx = { db, dialect: SQLITE, changed: (one) => changed.push(one) }
      database.exec(begin)
      try {
        const result = await runUnit(name, tx, args)
        database.exec('commit')
        return { result, changed }
      } catch (error) {
        if (database.isTransaction) database.exec('rollback')
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
  if (!isOfDatabase(error)) throw error
  throw new StoreUnavailableError(`The store is unavailable: ${messageOf(error)}`, { cause: error })
}

/** Parts of an engine on SQLite. */
type SqliteParts = {
  readonly db: Db
  readonly writer: UnitRunner
  /** Opens the connection of what counts. */
  readonly openCounter: () => UnitRunner
  readonly diskBytes: () => Promise<number>
  readonly onClose: () => void
}

/** Creates the engine on opened connections. */
function createEngine({ db, writer, openCounter, diskBytes, onClose }: SqliteParts): Engine {
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
    db,
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

/** Bytes of the log's header and of the one before each page. Source: https://sqlite.org/fileformat2.html#walformat */
const WAL_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

const damaged = (path: string, found: string) =>
  new StoreOpenError(
    `${path} is damaged (${found}): restore it from a back-up, or move it aside to start empty`,
  )

/**
 * Creates the file of a store, with a header, before it gets its name. So a kill leaves no empty file, which one that was
 * emptied would be taken for. Of two processes that create it, one does.
 */
async function createFile(directory: string, path: string): Promise<void> {
  const temporary = join(directory, `${randomUUID()}${TEMPORARY}`)
  openDatabase(temporary, { setUp: 'pragma journal_mode = wal' }).close()
  try {
    await link(temporary, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    await rm(temporary, { force: true })
  }
  await syncFolder(directory)
}

/**
 * Returns what a file lacks of its pages. SQLite notices it at once only without a write-ahead log, which holds the rest if
 * a checkpoint was interrupted: one page in each frame.
 */
async function findMissing(path: string, database: Database): Promise<string | undefined> {
  const read = (name: string) => Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0])
  const pageBytes = read('page_size')
  const wanted = pageBytes * read('page_count')
  const { size } = await stat(path)
  const log = await ifPresent(stat(`${path}-wal`))
  const frames = Math.floor(
    Math.max(0, (log?.size ?? 0) - WAL_HEADER_BYTES) / (pageBytes + FRAME_HEADER_BYTES),
  )
  return wanted - size > frames * pageBytes ? `it has ${size} of ${wanted} bytes` : undefined
}

type Opened = { readonly database: Database; readonly db: Db }

/** Opens and migrates a file. @throws StoreOpenError if a part of it is missing, or a newer version made it */
async function openFile(path: string, isShared: boolean): Promise<Opened> {
  const database = openDatabase(path, { setUp: 'pragma journal_mode = wal' })
  try {
    // Beside a service, the log may shrink between two looks.
    const missing = isShared ? undefined : await findMissing(path, database)
    if (missing !== undefined) throw damaged(path, (await findDamage(path)) ?? missing)
    const db = toKysely(database)
    // One transaction, so that a kill leaves all tables or none. Kysely begins one itself only on PostgreSQL.
    database.exec('begin immediate')
    await migrate(db, SQLITE)
    // Earlier holders have ended: this process holds the lock of the folder.
    if (!isShared) database.exec('delete from lease')
    database.exec(`commit; ${READ_ONLY}`)
    return { database, db }
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    database.close()
    throw error
  }
}

/**
 * Looks again at a file that SQLite called malformed, while no service can start in the folder, and opens it if it is sound.
 * A command that works beside a service cannot tell, since the service writes on.
 * @throws StoreOpenError with what is wrong with it
 */
async function lookAgain(
  path: string,
  lock: (() => () => void) | undefined,
  first: unknown,
): Promise<Opened> {
  let unlock: (() => void) | undefined
  try {
    unlock = lock?.()
  } catch {
    throw new StoreOpenError(
      `${path} cannot be read beside the service that has it (${messageOf(first)}): try again`,
      { cause: first },
    )
  }
  const found = await findDamage(path).finally(unlock)
  if (found !== undefined) throw damaged(path, found)
  return openFile(path, lock !== undefined).catch((error: unknown) => {
    if (!isMalformed(error)) throw error
    throw new StoreOpenError(
      `${path} is sound, but this process cannot read it (${messageOf(error)}): start it again`,
      { cause: error },
    )
  })
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
  const lock = () => lockFile(join(directory, LOCK_FILE))
  const unlock = isShared ? () => {} : lock()
  let opened: Opened
  try {
    const size = (await ifPresent(stat(path)))?.size
    if (size === undefined) await createFile(directory, path)
    if (size === 0) throw damaged(path, 'it is empty')
    opened = await openFile(path, isShared).catch((error: unknown) => {
      if (!isMalformed(error)) throw error
      return lookAgain(path, isShared ? lock : undefined, error)
    })
  } catch (error) {
    unlock()
    if (!isOfDatabase(error)) throw error
    throw new StoreOpenError(`${path} cannot be opened: ${messageOf(error)}`, { cause: error })
  }
  const { database: reader, db } = opened
  const hasThreads = existsSync(fileURLToPath(THREAD))
  return createEngine({
    db,
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
  const database = openDatabase(':memory:', { setUp: tables })
  const writer = runUnits(database, 'begin immediate')
  // One connection: reads wait for the unit that runs.
  return createEngine({
    db: toKysely(database),
    writer,
    openCounter: () => writer,
    diskBytes: async () => 0,
    onClose: () => {},
  })
}
