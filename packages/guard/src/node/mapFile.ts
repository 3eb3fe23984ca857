import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { MapStorage, StoredMap } from '../map/mapTypes.ts'
import { syncDirectory } from './syncDirectory.ts'

const NEWLINE = 0x0a

/**
 * Creates a storage that keeps the last good map in one file of mode 600, replaced whole and durably.
 * A damaged file counts as none. Processes may share the file.
 * @param path of the file; its folder is created if missing
 * @example
 * const map = createMapClient({ url: 'https://touchstone.example', storage: createMapFile('.touchstone/map') })
 */
export function createMapFile(path: string): MapStorage {
  let saving: Promise<void> = Promise.resolve()
  return {
    load: () =>
      readFile(path).then(read, (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      }),
    save(map) {
      saving = saving.catch(() => {}).then(() => write(path, map))
      return saving
    },
  }
}

function read(file: Buffer): StoredMap | null {
  const end = file.indexOf(NEWLINE)
  try {
    const { note, keys, bytes } = JSON.parse(file.subarray(0, Math.max(end, 0)).toString())
    const hasKeys = Array.isArray(keys) && keys.every((key) => typeof key === 'string')
    const body = new Uint8Array(file.subarray(end + 1))
    return typeof note === 'string' && hasKeys && bytes === body.length ? { note, keys, body } : null
  } catch {
    return null
  }
}

async function write(path: string, { note, keys, body }: StoredMap): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // In containers that share a folder every process has one number.
  const temporary = `${path}.${randomUUID()}.tmp`
  const head = Buffer.from(`${JSON.stringify({ note, keys, bytes: body.length })}\n`)
  try {
    await writeFile(temporary, Buffer.concat([head, body]), { mode: 0o600, flush: true })
    await rename(temporary, path)
  } finally {
    await rm(temporary, { force: true })
  }
  await syncDirectory(folder)
}
