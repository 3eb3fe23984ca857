import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ifPresent, makeFolder, syncFolder } from '../../../durable/durableFiles.ts'
import { copyFolder, sizeOfFolder, syncTree } from '../../../durable/folders.ts'
import { BackupError, explain } from './backupError.ts'
import { type Backup, describeSize } from './makeBackup.ts'

/** Options of `restoreBackup`. */
export type RestoreOptions = {
  /** The data folder: empty, or to be created. */
  readonly directory: string
  /** The back-up; it is not changed. */
  readonly source: string
  /** Opens the store of a data folder and closes it; rejects if it cannot be opened. */
  check(directory: string): Promise<void>
}

/** Says what was restored. */
export function describeRestored(directory: string, { bytes, ms }: Backup): string {
  return `Restored ${directory}: ${describeSize(bytes)} in ${(ms / 1000).toFixed(1)} s.`
}

const FILLING = 'restoring.tmp'

/**
 * Copies a back-up into an empty data folder once its store opens.
 * @throws BackupError if the data folder is not empty, or the back-up is missing or cannot be opened
 */
export async function restoreBackup(options: RestoreOptions): Promise<Backup> {
  const { directory, source } = options
  const startedAt = performance.now()
  try {
    if (!(await ifPresent(stat(source)))?.isDirectory()) throw new BackupError(`${source} is not a folder`)
    await makeFolder(directory)
    const filling = join(directory, FILLING)
    if ((await readdir(directory)).some((name) => name !== FILLING))
      throw new BackupError(`${directory} is not empty: move its files away first`)
    await fill(filling, options)
    const bytes = await sizeOfFolder(filling)
    for (const name of await readdir(filling)) await rename(join(filling, name), join(directory, name))
    await rmdir(filling)
    await syncFolder(directory)
    return { bytes, ms: performance.now() - startedAt }
  } catch (cause) {
    throw explain(`Cannot restore ${source} into ${directory}`, cause)
  }
}

async function fill(filling: string, { source, check }: RestoreOptions): Promise<void> {
  await rm(filling, { recursive: true, force: true })
  await mkdir(filling, { mode: 0o700 })
  try {
    await copyFolder(source, filling)
    await check(filling).catch((cause: unknown) => {
      throw explain(`${source} holds no store that can be opened`, cause)
    })
    await syncTree(filling)
  } catch (error) {
    await rm(filling, { recursive: true, force: true }).catch(() => undefined)
    throw error
  }
}
