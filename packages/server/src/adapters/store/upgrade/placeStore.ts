import { readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StoreOpenError } from '../../../domain/facts/storeError.ts'
import { ifPresent, makeFolder, syncFolder } from '../../../durable/durableFiles.ts'

/** Folder in which the records of version 0.1 stay after the upgrade. */
export const KEPT = 'upgraded-0.1'
/** The new store while it is filled; worthless after a crash. */
const FILLING = 'upgrading.tmp'
/** The new store when it is complete, until its files are in place. */
const COMPLETE = 'upgrade-complete'

/** Progress of the upgrade of a folder, as its files show it. */
export type UpgradeState = 'none' | 'old' | 'complete'

/** Returns whether a folder is still to be upgraded (`old`), or only the files of its new store are to be moved (`complete`). */
export async function upgradeState(directory: string): Promise<UpgradeState> {
  if (await isFolder(join(directory, COMPLETE))) return 'complete'
  return (await isFolder(join(directory, 'log'))) ? 'old' : 'none'
}

/**
 * Creates an empty folder for the new store, removing what an interrupted upgrade left.
 * @throws StoreOpenError if the folder holds records that an earlier upgrade kept
 */
export async function prepareStore(directory: string): Promise<string> {
  const kept = join(directory, KEPT)
  if (await isFolder(kept)) {
    throw new StoreOpenError(`${kept} is there already: move it away before this folder is upgraded again`)
  }
  const filling = join(directory, FILLING)
  await rm(filling, { recursive: true, force: true })
  await makeFolder(filling)
  return filling
}

/** Declares the new store complete; it must be closed. A crash after this loses nothing of it. */
export async function completeStore(directory: string): Promise<void> {
  const filling = join(directory, FILLING)
  await syncFolder(filling)
  await rename(filling, join(directory, COMPLETE))
  await syncFolder(directory)
}

/**
 * Moves a complete store into the folder, and the old records into `upgraded-0.1/`; continues where a crash stopped it.
 * The log goes last, so that until then the folder is taken for an old one.
 */
export async function placeStore(directory: string): Promise<void> {
  const complete = join(directory, COMPLETE)
  const kept = join(directory, KEPT)
  await makeFolder(kept)
  await ifPresent(rename(join(directory, 'documents'), join(kept, 'documents')))
  for (const name of await readdir(complete)) await rename(join(complete, name), join(directory, name))
  for (const folder of [complete, kept, directory]) await syncFolder(folder)
  await ifPresent(rename(join(directory, 'log'), join(kept, 'log')))
  for (const name of await readdir(directory)) {
    if (/^lock\.\d{1,15}$/.test(name)) await rm(join(directory, name), { force: true })
  }
  for (const folder of [kept, directory]) await syncFolder(folder)
  await rmdir(complete)
  await syncFolder(directory)
}

async function isFolder(path: string): Promise<boolean> {
  return (await ifPresent(stat(path)))?.isDirectory() === true
}
