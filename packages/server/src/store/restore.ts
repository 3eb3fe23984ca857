import { copyFile, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StoreOpenError } from '../facts/storeError.ts'
import { openDatabase } from '../lib/database.ts'
import { ifPresent, makeDataFolder, makeFolder, syncFolder } from '../lib/durableFiles.ts'
import { messageOf } from '../lib/errors.ts'
import { lockFile } from '../lib/lockFile.ts'
import { refuseNewer } from './migrations.ts'
import { LOCK_FILE, openSqliteFile, STORE_FILE, toKysely } from './sqliteFile.ts'

/** Folder within a data folder in which a back-up is checked before it takes its place. */
const ASIDE = 'restoring'

/**
 * Puts a back-up into a data folder without a store, once it is checked to be whole and of a version that this program
 * reads. After a kill it can be called again.
 * @returns the size of the store in bytes
 * @throws Error with the reason if it fails
 */
export async function restoreBackUp(file: string, directory: string): Promise<number> {
  const writes = await ifPresent(stat(`${file}-wal`))
  // A store of a data folder, copied alone: its last writes, such as signed entries of the log, would be lost.
  if (writes !== undefined && writes.size > 0)
    throw new Error(
      `${file}-wal holds writes that ${file} lacks: run touchstone-server backup with that folder, and restore its file`,
    )
  await makeDataFolder(directory)
  const unlock = lockFile(join(directory, LOCK_FILE))
  try {
    if ((await readdir(directory)).some((name) => name.startsWith(STORE_FILE)))
      throw new Error(`${directory} holds a store: move it away, or name an empty folder by DATA_DIR`)
    const aside = join(directory, ASIDE)
    await rm(aside, { recursive: true, force: true })
    await makeFolder(aside)
    const copy = join(aside, STORE_FILE)
    await copyFile(file, copy)
    await check(copy, file)
    const migrated = await openSqliteFile({ directory: aside })
    migrated.close()
    // Another copy: the engine may hold on to a file that it has opened.
    const whole = join(aside, 'whole.db')
    await copyFile(file, whole)
    const handle = await open(whole, 'r+')
    try {
      await handle.chmod(0o600)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(whole, join(directory, STORE_FILE))
    await syncFolder(directory)
    return (await stat(join(directory, STORE_FILE))).size
  } finally {
    await rm(join(directory, ASIDE), { recursive: true, force: true })
    unlock()
  }
}

async function check(copy: string, file: string): Promise<void> {
  const database = openDatabase(copy)
  try {
    const found = database.prepare('pragma integrity_check(1)').get()?.integrity_check
    if (found !== 'ok') throw new Error(`${found}`)
    const tables = database.prepare("select 1 from sqlite_master where name = 'log_leaf'").all()
    if (tables.length === 0) throw new Error('it has no tables of this program')
    await refuseNewer(toKysely(database), file)
  } catch (error) {
    if (error instanceof StoreOpenError) throw error
    throw new Error(`${file} is no whole back-up: ${messageOf(error)}`, { cause: error })
  } finally {
    database.close()
  }
}
