import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ifPresent, makeFolder, replaceFile, TEMPORARY } from '../../durable/durableFiles.ts'
import { LATEST, type MapFiles } from '../../ports/mapFiles.ts'

/** Creates the map's files in a folder, which is created if missing. */
export function createMapFolder(directory: string): MapFiles {
  return {
    read: (name) => ifPresent(readFile(join(directory, name))),
    async publish(files, { latest, isKept }) {
      await makeFolder(directory)
      for (const [name, bytes] of files) await replaceFile(join(directory, name), bytes)
      await replaceFile(join(directory, LATEST), latest)
      for (const name of await readdir(directory)) {
        const isGone = !files.has(name) && name !== LATEST && !name.endsWith(TEMPORARY) && !isKept(name)
        if (isGone) await rm(join(directory, name), { force: true })
      }
    },
  }
}
