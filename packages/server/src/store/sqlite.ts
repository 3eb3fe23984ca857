import { stat } from 'node:fs/promises'
import { ClaimStateError, LeaseLostError, StoreUnavailableError } from '../facts/storeError.ts'
import { type Database, isOfDatabase, openDatabase } from '../lib/database.ts'
import { messageOf } from '../lib/errors.ts'
import { isBuilt } from '../lib/thread/isBuilt.ts'
import {
  type ArgumentsOf,
  createWatchers,
  type Engine,
  type UnitName,
  type UnitResult,
  type UnitRunner,
} from './engine.ts'
import type { Db } from './schema.ts'
import { openSqliteFile, READ_ONLY, SQLITE, type SqliteOptions, toKysely } from './sqliteFile.ts'
import type { Changed, Derivation, Tx } from './tx.ts'
import { DURABLE, runUnit } from './units.ts'
import { createUnitThread } from './unitThread.ts'

/** Script of the thread, beside the built program. It brings its own derivation, since a thread is handed no functions. */
const THREAD = new URL('./unitsThread.js', import.meta.url)

/** Opens a connection for units that write. Nothing else is awaited in a unit, so nothing else runs in its transaction. */
export const openWriter = (path: string, derive: Derivation): UnitRunner =>
  runUnits(openDatabase(path), 'begin immediate', derive)

/** Opens a connection for units that read, which hold up no writer. */
export const openCounter = (path: string, derive: Derivation): UnitRunner =>
  runUnits(openDatabase(path, { setUp: READ_ONLY }), 'begin', derive)

/** Runs units on a connection, each in a transaction. */
export function runUnits(
  database: Database,
  begin: 'begin' | 'begin immediate',
  derive: Derivation,
): UnitRunner {
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
      const tx: Tx = { db, dialect: SQLITE, derive, changed: (one) => changed.push(one) }
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
  const requireOpen = () => {
    if (closing !== undefined) throw new StoreUnavailableError('The store is closed')
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
    async watch(onChange) {
      requireOpen()
      return watchers.add(onChange)
    },
    async diskBytes() {
      requireOpen()
      return diskBytes()
    },
    close() {
      closing ??= close()
      return closing
    },
  }
}

/**
 * Opens the file in a data folder. Writes run in a separate thread where the program is built, so that neither a
 * write to disk nor a checkpoint holds up the event loop; reads see the last commit.
 * @throws StoreOpenError if another service has the folder, a newer version made the file, or it is damaged
 */
export async function openSqlite(options: SqliteOptions, derive: Derivation): Promise<Engine> {
  const { path, db, close } = await openSqliteFile(options)
  const hasThreads = isBuilt(THREAD)
  return createEngine({
    db,
    writer: hasThreads ? createUnitThread(THREAD, { path, isCounter: false }) : openWriter(path, derive),
    openCounter: () =>
      hasThreads ? createUnitThread(THREAD, { path, isCounter: true }) : openCounter(path, derive),
    async diskBytes() {
      const sizes = await Promise.all(['', '-wal'].map((end) => stat(path + end).catch(() => ({ size: 0 }))))
      return sizes.reduce((sum, { size }) => sum + size, 0)
    },
    onClose: close,
  })
}

/** Creates an engine in memory with tables that are there; it is gone when it is closed. */
export function createMemoryEngine(tables: string, derive: Derivation): Engine {
  const database = openDatabase(':memory:', { setUp: tables })
  const writer = runUnits(database, 'begin immediate', derive)
  // One connection: reads wait for the unit that runs.
  return createEngine({
    db: toKysely(database),
    writer,
    openCounter: () => writer,
    diskBytes: async () => 0,
    onClose: () => {},
  })
}
