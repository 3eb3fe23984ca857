import { randomUUID } from 'node:crypto'
import { link, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Kysely, SqliteDialect, type SqliteStatement, sql } from 'kysely'
import { StoreOpenError, StoreUnavailableError } from '../facts/storeError.ts'
import { type Database, findDamage, isOfDatabase, isUnreadable, openDatabase } from '../lib/database.ts'
import { ifPresent, makeDataFolder, syncFolder, TEMPORARY } from '../lib/durableFiles.ts'
import { codeOf, messageOf } from '../lib/errors.ts'
import { lockFile } from '../lib/lockFile.ts'
import { migrate, readFormat } from './migrations.ts'
import type { Db, Tables } from './schema.ts'
import type { Dialect } from './tx.ts'

/** How SQLite names things. */
export const SQLITE: Dialect = {
  name: 'sqlite',
  now: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
}

/** Name of the file within a data folder. */
export const STORE_FILE = 'touchstone.db'
export const LOCK_FILE = 'touchstone.lock'

/** Number of prepared statements that a connection keeps. */
const KEPT_STATEMENTS = 500

/** Makes a connection refuse to write. */
export const READ_ONLY = 'pragma query_only = on'

/** Keeps 16 MB of pages in memory, in place of 2: reads of a store of 10,000 endpoints take a quarter less time. */
const PAGES_IN_MEMORY = 'pragma cache_size = -16000'

/** Keeps the statements of a connection, since preparing one takes longer than a read by key. */
export function toKysely(database: Database): Db {
  const statements = new Map<string, SqliteStatement>()
  const prepare = (text: string): SqliteStatement => {
    if (!database.isOpen) throw new StoreUnavailableError('The store is closed')
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
    await migrate(db, SQLITE, { place: path })
    // Earlier holders have ended: this process holds the lock of the folder.
    if (!isShared) database.exec('delete from lease')
    database.exec(`commit; ${READ_ONLY}; ${PAGES_IN_MEMORY}`)
    return { database, db }
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    database.close()
    throw error
  }
}

/**
 * Looks again at a file that SQLite could not read, while no service can start in the folder, and opens it if it is sound.
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
    if (!isUnreadable(error)) throw error
    throw new StoreOpenError(
      `${path} is sound, but this process cannot read it (${messageOf(error)}): start it again`,
      { cause: error },
    )
  })
}

/** Reads the format of the store in a data folder, and changes nothing. Returns undefined if there is no store, null if it states none. */
export const readFolderFormat = (directory: string) => readFolder(directory, readFormat)

/** Reads from the store in a data folder, and changes nothing. Returns undefined if there is no store. */
export async function readFolder<T>(directory: string, read: (db: Db) => Promise<T>): Promise<T | undefined> {
  const path = join(directory, STORE_FILE)
  if ((await ifPresent(stat(path))) === undefined) return undefined
  const database = openDatabase(path, { setUp: READ_ONLY })
  try {
    return await read(toKysely(database))
  } finally {
    database.close()
  }
}

/** Options of {@link openSqliteFile}. */
export type SqliteOptions = {
  /** Data folder. */
  readonly directory: string
  /** Whether another process may have the folder, as beside a running service. @default false */
  readonly isShared?: boolean
}

/** An opened file of a store. */
export type SqliteFile = {
  readonly path: string
  readonly db: Db
  /** Ends the connection and the lock of the folder. */
  readonly close: () => void
}

/**
 * Locks a data folder unless it is shared, and opens its file, which is created if it is absent. The connection is migrated
 * and reads only.
 * @throws StoreOpenError if another service has the folder, a newer version made the file, or it is damaged
 */
export async function openSqliteFile({ directory, isShared = false }: SqliteOptions): Promise<SqliteFile> {
  await makeDataFolder(directory)
  const path = join(directory, STORE_FILE)
  const lock = () => lockFile(join(directory, LOCK_FILE))
  const unlock = isShared ? () => {} : lock()
  try {
    const size = (await ifPresent(stat(path)))?.size
    if (size === undefined) await createFile(directory, path)
    if (size === 0) throw damaged(path, 'it is empty')
    const { database, db } = await openFile(path, isShared).catch((error: unknown) => {
      if (!isUnreadable(error)) throw error
      return lookAgain(path, isShared ? lock : undefined, error)
    })
    return {
      path,
      db,
      close() {
        database.close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    if (!isOfDatabase(error)) throw error
    throw new StoreOpenError(`${path} cannot be opened: ${messageOf(error)}`, { cause: error })
  }
}
