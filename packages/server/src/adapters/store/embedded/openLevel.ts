import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { StoreOpenError } from '../../../domain/facts/storeError.ts'
import { makeFolder } from '../../../durable/durableFiles.ts'
import { codeOf, messageOf } from '../../../errors.ts'
import { keyOf } from './keys.ts'
import { fromBytes, type Level, toBytes } from './source.ts'

/** Format of the store that this version writes. */
const FORMAT = 2

const FORMAT_KEY = keyOf('f')

/** Keys are characters below 256, each a byte. */
const BYTES = {
  name: 'latin1',
  format: 'buffer' as const,
  encode: (key: string) => Buffer.from(key, 'latin1'),
  decode: (bytes: Buffer) => bytes.toString('latin1'),
}

/** Returns the folder of the database within a data folder. */
export function levelFolder(directory: string): string {
  return join(directory, 'store')
}

/** Whether a data folder holds an embedded store. */
export async function hasStore(directory: string): Promise<boolean> {
  return access(join(levelFolder(directory), 'CURRENT')).then(
    () => true,
    () => false,
  )
}

/** Creates a database in a folder of its own, not opened yet. */
export function createLevel(folder: string): Level {
  return new ClassicLevel<string, Buffer>(folder, {
    keyEncoding: BYTES,
    valueEncoding: 'buffer',
    // Bounds what is resident: blocks that were read, two buffers of writes, and 12 mapped tables (10 files are others).
    cacheSize: 32 * 1024 * 1024,
    writeBufferSize: 16 * 1024 * 1024,
    maxFileSize: 4 * 1024 * 1024,
    maxOpenFiles: 22,
  })
}

/**
 * Opens the database of a data folder; both are created if missing.
 * @throws StoreOpenError if another process has it open, a newer version wrote it, or it is damaged or out of reach
 */
export async function openLevel(directory: string): Promise<Level> {
  const folder = levelFolder(directory)
  const level = createLevel(folder)
  try {
    await makeFolder(directory)
    await makeFolder(folder)
    await level.open()
  } catch (cause) {
    throw new StoreOpenError(explain(directory, cause), { cause })
  }
  try {
    await checkFormat(level, directory)
    return level
  } catch (error) {
    await level.close()
    throw error
  }
}

/** Opens a database again that was open before. @throws StoreOpenError */
export async function reopenLevel(level: Level, directory: string): Promise<void> {
  try {
    await level.close()
    await level.open()
  } catch (cause) {
    throw new StoreOpenError(explain(directory, cause), { cause })
  }
}

async function checkFormat(level: Level, directory: string): Promise<void> {
  const known = await level.get(FORMAT_KEY)
  if (known === undefined) {
    const [anything] = await level.keys({ limit: 1 }).all()
    if (anything !== undefined)
      throw new StoreOpenError(`The data folder ${directory} holds a database of something else`)
    await level.batch([{ type: 'put', key: FORMAT_KEY, value: toBytes({ format: FORMAT }) }], { sync: true })
    return
  }
  const { format } = fromBytes<{ format: number }>(known)
  if (format !== FORMAT) {
    // No release ever wrote format 1.
    const version = format > FORMAT ? 'a newer version' : 'a version before its release'
    throw new StoreOpenError(
      `The data folder ${directory} was written by ${version} (format ${format}, this version reads ${FORMAT})`,
    )
  }
}

/** Says in one line why a folder cannot be opened. */
function explain(directory: string, error: unknown): string {
  const reason = error instanceof Error && error.cause !== undefined ? error.cause : error
  const code = codeOf(reason)
  if (code === 'LEVEL_LOCKED')
    return `The data folder ${directory} is in use by another process; only one process can use a data folder, so stop the other first`
  if (code === 'LEVEL_CORRUPTION')
    return `The data folder ${directory} is damaged (${messageOf(reason)}); put a back-up in its place with "touchstone-server restore"`
  return `Cannot use the data folder ${directory}: ${messageOf(reason)}`
}
