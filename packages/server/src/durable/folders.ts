import { constants } from 'node:fs'
import { copyFile, mkdir, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ifPresent, syncFolder, TEMPORARY } from './durableFiles.ts'

/** Copies files and folders; entries for which `isLeftOut` is true at the top are skipped. */
export type CopyOptions = { readonly isLeftOut?: (name: string) => boolean }

/**
 * Copies a folder's files with their modes into an existing folder. Temporary files, sockets, links, and files that
 * vanish meanwhile are left out.
 */
export async function copyFolder(from: string, to: string, { isLeftOut }: CopyOptions = {}): Promise<void> {
  for (const entry of (await ifPresent(readdir(from, { withFileTypes: true }))) ?? []) {
    const { name } = entry
    if (name.endsWith(TEMPORARY) || isLeftOut?.(name)) continue
    if (entry.isDirectory()) {
      await mkdir(join(to, name), { mode: 0o700 })
      await copyFolder(join(from, name), join(to, name))
    } else if (entry.isFile()) {
      await ifPresent(copyFile(join(from, name), join(to, name), constants.COPYFILE_EXCL))
    }
  }
}

/** Flushes all files of a folder, and the folder. */
export async function syncTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) await syncTree(path)
    else if (entry.isFile()) await syncFile(path)
  }
  await syncFolder(directory)
}

/** Returns the size of all files of a folder in bytes; what vanishes meanwhile counts nothing. */
export async function sizeOfFolder(directory: string): Promise<number> {
  let bytes = 0
  for (const entry of (await ifPresent(readdir(directory, { withFileTypes: true }))) ?? []) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) bytes += await sizeOfFolder(path)
    else if (entry.isFile()) bytes += (await ifPresent(stat(path)))?.size ?? 0
  }
  return bytes
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
