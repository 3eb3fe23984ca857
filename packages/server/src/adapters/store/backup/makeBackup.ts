import { randomUUID } from 'node:crypto'
import { mkdir, readdir, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { ifPresent, syncFolder, TEMPORARY } from '../../../durable/durableFiles.ts'
import { copyFolder, sizeOfFolder, syncTree } from '../../../durable/folders.ts'
import { BackupError, explain } from './backupError.ts'

/** Options of `makeBackup`. */
export type BackupOptions = {
  /** The data folder. */
  readonly directory: string
  /** Folder to create, or an empty one. */
  readonly target: string
  /** Writes a consistent copy of the store into an empty folder, so that a store opens there. */
  copyTo(directory: string): Promise<void>
  /** Receives progress every 5 s. @default ignored */
  readonly onLine?: (line: string) => void
}

/** Size in bytes and duration in ms of a back-up. */
export type Backup = { readonly bytes: number; readonly ms: number }

const EVERY_MS = 5000

/**
 * Makes a data folder from which a server can start: a copy of the store, then of all else in the data folder.
 * It appears whole and durable under its name, or not at all.
 * @throws BackupError
 */
export async function makeBackup({ directory, target, copyTo, onLine }: BackupOptions): Promise<Backup> {
  const startedAt = performance.now()
  const filling = await prepare(directory, target)
  const timer = setInterval(() => {
    void sizeOfFolder(filling).then(
      (bytes) => onLine?.(`${describeSize(bytes)} written`),
      () => undefined,
    )
  }, EVERY_MS)
  try {
    await copyTo(filling)
    const ofStore = new Set(await readdir(filling))
    // After the store, so that whatever a record of it names is there.
    await copyFolder(directory, filling, { isLeftOut: (name) => ofStore.has(name) })
    await syncTree(filling)
    const bytes = await sizeOfFolder(filling)
    await rename(filling, target)
    await syncFolder(dirname(target))
    return { bytes, ms: performance.now() - startedAt }
  } catch (cause) {
    throw explain(`Cannot back up to ${target}`, cause)
  } finally {
    clearInterval(timer)
    await rm(filling, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** Says what a finished back-up is. */
export function describeBackup(target: string, { bytes, ms }: Backup): string {
  return `Backed up to ${target}: ${describeSize(bytes)} in ${(ms / 1000).toFixed(1)} s.`
}

/** Creates the folder that is filled, beside the target. */
async function prepare(directory: string, target: string): Promise<string> {
  try {
    const present = await ifPresent(readdir(target))
    if (present !== undefined && present.length > 0) throw new BackupError(`${target} is not empty`)
    const parent = await realpath(dirname(resolve(target)))
    const source = await realpath(directory)
    if (`${join(parent, basename(target))}${sep}`.startsWith(`${source}${sep}`))
      throw new BackupError(`${target} is inside the data folder`)
    const filling = join(parent, `${basename(target)}.${randomUUID()}${TEMPORARY}`)
    await mkdir(filling, { mode: 0o700 })
    return filling
  } catch (cause) {
    throw explain(`Cannot create ${target}`, cause)
  }
}

/** Returns a size for readers. */
export function describeSize(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}
