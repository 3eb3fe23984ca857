import { StoreOpenError } from '../facts/storeError.ts'
import { openDatabase } from './database.ts'

/**
 * Locks a folder by a file in it, for as long as the process lives: the lock is a database's own, so none is left behind.
 * Returns a function that ends it.
 * @throws StoreOpenError if another process holds it
 */
export function lockFile(path: string): () => void {
  const database = openDatabase(path, { busyMs: 0 })
  try {
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    throw new StoreOpenError(`Another service uses this data folder (${path} is locked)`, { cause: error })
  }
  return () => {
    database.exec('rollback')
    database.close()
  }
}
