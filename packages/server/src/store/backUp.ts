import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openDatabase } from '../lib/database.ts'
import { syncFolder } from '../lib/durableFiles.ts'
import { codeOf } from '../lib/errors.ts'
import { STORE_FILE } from './sqliteFile.ts'

/**
 * Copies the store of a data folder into a file, as of one moment. A service that runs is not held up: it writes on while
 * this process reads.
 * @returns the size of the file in bytes
 * @throws Error if there is no store, or the file exists
 */
export async function backUp(directory: string, target: string): Promise<number> {
  const source = join(directory, STORE_FILE)
  const isThere = async (path: string) =>
    stat(path).then(
      () => true,
      (error: unknown) => {
        if (codeOf(error) === 'ENOENT') return false
        throw error
      },
    )
  if (!(await isThere(source))) throw new Error(`there is no store in ${directory}`)
  if (await isThere(target)) throw new Error(`${target} exists`)
  const part = `${target}.part`
  await rm(part, { force: true })
  const database = openDatabase(source)
  try {
    database.prepare('vacuum into ?').run(part)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    database.close()
  }
  const file = await open(part, 'r+')
  try {
    await file.chmod(0o600)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(part, target)
  await syncFolder(dirname(target))
  return (await stat(target)).size
}
