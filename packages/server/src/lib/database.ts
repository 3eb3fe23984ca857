import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { StoreOpenError } from '../facts/storeError.ts'
import { codeOf } from './errors.ts'

/** A connection to an SQLite file. */
export type Database = DatabaseSyncInstance

/** How long a statement waits for a lock of another connection, or for one that recovers the write-ahead log, in ms. */
const BUSY_MS = 15_000

/** Numbers of SQLite's results. Source: https://sqlite.org/rescode.html */
const IO_ERROR = 10
const CORRUPT = 11
const NOT_A_DATABASE = 26

/** Options of {@link openDatabase}. */
export type DatabaseOptions = {
  /** @default 15 s */
  readonly busyMs?: number
  /** Statements to begin with, such as `pragma query_only = on`. */
  readonly setUp?: string
}

/**
 * Opens a connection to a file, which is created if it is absent, or to `:memory:`. It closes when nothing refers
 * to it any more, even if statements of it are still in use: keep it.
 *
 * After `close` the file stays open until the prepared statements are collected as garbage; `exec` prepares none. A process
 * that has it open must not open it in another way: closing a file drops all locks of the process on it, and then others
 * take the write-ahead log away from under it.
 * Source: https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
 */
export function openDatabase(path: string, { busyMs = BUSY_MS, setUp }: DatabaseOptions = {}): Database {
  const database = new DatabaseSync(path, { timeout: busyMs })
  try {
    if (setUp !== undefined) database.exec(setUp)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Returns whether an error is one of SQLite, or of a connection that is closed. */
export const isOfDatabase = (error: unknown) =>
  codeOf(error) === 'ERR_SQLITE_ERROR' || codeOf(error) === 'ERR_INVALID_STATE'

/** Returns whether SQLite could not read a file: it is malformed, cut short, or of another kind, or the disk failed. */
export const isUnreadable = (error: unknown) =>
  error instanceof Error && 'errcode' in error && isOfDamage(Number(error.errcode))

// The lower byte is the result, the upper ones say more about it.
const isOfDamage = (code: number) => [IO_ERROR, CORRUPT, NOT_A_DATABASE].includes(code & 0xff)

const CHECK = `
const { DatabaseSync } = await import(process.argv[1])
const say = (found) => process.stdout.write(JSON.stringify(found))
try {
  const database = new DatabaseSync(process.argv[2], { timeout: ${BUSY_MS} })
  say({ message: database.prepare('pragma integrity_check(1)').get().integrity_check })
} catch ({ message, errcode }) {
  say({ message, errcode })
}`

/**
 * Checks a whole file in a separate process, which shares no connection state with this one.
 * @returns what is wrong with it; undefined if it is sound
 * @throws StoreOpenError if it could not be read, for another reason than damage
 */
export async function findDamage(path: string): Promise<string | undefined> {
  const sqlite = pathToFileURL(createRequire(import.meta.url).resolve('@photostructure/sqlite')).href
  const flags = ['--input-type=module', '--eval', CHECK, sqlite, path]
  const { stdout } = await promisify(execFile)(process.execPath, flags)
  const { message, errcode }: { readonly message: string; readonly errcode?: number } = JSON.parse(stdout)
  if (message === 'ok') return undefined
  if (errcode !== undefined && !isOfDamage(errcode))
    throw new StoreOpenError(`${path} could not be checked: ${message}`)
  // A line that names the database comes before the finding.
  return message.split('\n').at(-1)
}
