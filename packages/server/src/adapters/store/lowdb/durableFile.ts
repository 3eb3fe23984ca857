import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Makes a folder's entries durable: what was created, renamed or removed in it. */
export async function syncFolder(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes a folder, readable by its owner only, and its entry in the folder above durable. */
export async function makeFolder(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await syncFolder(dirname(directory))
}

/**
 * Replaces a file as a whole: after a crash there is the old content or the new, never a mixture. Where it fails the
 * old content stays, and what was written of the new one takes no room.
 */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.tmp`
  try {
    const handle = await open(temporary, 'w', 0o600)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw error
  }
  await syncFolder(dirname(path))
}

/** Removes what replacements that a crash interrupted left behind. */
export async function removeTemporaryFiles(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.endsWith('.tmp')) await rm(join(directory, name), { force: true })
  }
}

/** Moves a damaged file into `corrupt/` beside its folder, under a name that is free there; returns its new path. */
export async function moveAside(path: string): Promise<string> {
  const target = await pathAside(path)
  await rename(path, target)
  await syncFolder(dirname(target))
  await syncFolder(dirname(path))
  return target
}

/** A free path for a damaged file, in `corrupt/` beside the folder that holds it. */
export async function pathAside(path: string): Promise<string> {
  const directory = join(dirname(dirname(path)), 'corrupt')
  await makeFolder(directory)
  const taken = new Set(await readdir(directory))
  const name = basename(path)
  let free = name
  for (let copy = 1; taken.has(free); copy++) free = `${name}.${copy}`
  return join(directory, free)
}
