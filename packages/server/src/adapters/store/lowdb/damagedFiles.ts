import { readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder, syncFolder, TEMPORARY } from '../../../durable/durableFiles.ts'

/** Removes temporary files that a crash left in a folder. */
export async function removeTemporaryFiles(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.endsWith(TEMPORARY)) await rm(join(directory, name), { force: true })
  }
}

/** Moves a damaged file into `corrupt/` beside its folder. Returns its new path. */
export async function moveAside(path: string): Promise<string> {
  const target = await pathAside(path)
  await rename(path, target)
  await syncFolder(dirname(target))
  await syncFolder(dirname(path))
  return target
}

/** Returns an unused path for a damaged file, in `corrupt/` beside its folder. */
export async function pathAside(path: string): Promise<string> {
  const directory = join(dirname(dirname(path)), 'corrupt')
  await makeFolder(directory)
  const taken = new Set(await readdir(directory))
  const name = basename(path)
  let free = name
  for (let copy = 1; taken.has(free); copy++) free = `${name}.${copy}`
  return join(directory, free)
}
