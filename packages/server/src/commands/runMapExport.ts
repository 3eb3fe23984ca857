import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readMapHeader } from '@touchstone402/shared/map'
import { parseNote } from '@touchstone402/transparency'
import type { Environment } from '../config/storageSettings.ts'
import { replaceFile } from '../lib/durableFiles.ts'
import { isKeptBeside } from '../map/keptFiles.ts'
import { LATEST, readMapFile } from '../store/documents.ts'
import type { Store } from '../store/store.ts'
import { withStore } from './withStore.ts'

const MOST_BACK = 128
/** Name of a body or of a diff. */
const MAP_FILE = /^[1-9]\d*(-[1-9]\d*)?$/

/**
 * Copies the published map to a folder, for a CDN or a mirror. The header comes last, so that a copy under way is whole;
 * then older versions are removed.
 * @returns a summary
 * @throws Error with the reason if it fails
 */
export async function runMapExport(folder: string, environment: Environment): Promise<string> {
  return withStore(environment, (store) => exportMap(store, resolve(folder)))
}

async function exportMap(files: Store, target: string): Promise<string> {
  const latest = await readMapFile(files, LATEST)
  if (latest === undefined) throw new Error('no map has been published yet: start the server first')
  const { version, entries } = readMapHeader(parseNote(latest).text)
  // A web server of another user reads them.
  if ((await mkdir(target, { recursive: true })) !== undefined) await chmod(target, 0o755)
  const put = async (name: string, bytes: Uint8Array) => {
    await replaceFile(join(target, name), bytes)
    await chmod(join(target, name), 0o644)
  }
  const names = [`${version}`]
  for (let back = 1; back <= MOST_BACK && back < version; back *= 2)
    names.push(`${version - back}-${version}`)
  let count = 0
  for (const name of names) {
    const bytes = await readMapFile(files, name)
    if (bytes === undefined && name === `${version}`)
      throw new Error(`version ${version} was replaced: run it again`)
    if (bytes === undefined) continue
    await put(name, bytes)
    count += 1
  }
  await put(LATEST, latest)
  for (const name of await readdir(target))
    if (MAP_FILE.test(name) && !isKeptBeside(version, name)) await rm(join(target, name))
  return `version ${version} with ${entries} entries: ${count + 1} files in ${target}`
}
