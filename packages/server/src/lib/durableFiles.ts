import { randomUUID } from 'node:crypto'
import { chmod, link, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Adapter } from 'lowdb'
import { codeOf } from './errors.ts'

/** Suffix of files that a crash may leave half-written. */
export const TEMPORARY = '.tmp'

/** Content of a file; chunks of an iterable are written in sequence. */
export type FileContent = string | Uint8Array | AsyncIterable<Uint8Array>

/** Flushes a folder, so that created, renamed and removed entries survive a crash. */
export async function syncFolder(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Creates a folder that only its owner can read, and makes its entry durable. */
export async function makeFolder(directory: string): Promise<void> {
  await makeMissing(resolve(directory))
  await syncFolder(dirname(directory))
}

/** Creates a folder and those above it. With `recursive`, `mkdir` never ends where the kernel refuses names, as in `/proc`. */
async function makeMissing(directory: string): Promise<void> {
  const make = async () => {
    try {
      await mkdir(directory, { mode: 0o700 })
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' || !(await stat(directory)).isDirectory()) throw error
    }
  }
  try {
    await make()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    // Another process may have made the one above since.
    const above = dirname(directory)
    if ((await ifPresent(stat(above))) === undefined) await makeMissing(above)
    await make()
  }
}

/**
 * Creates the data folder. One that exists, such as a container's, is closed to others if it is ours.
 * @param setting that names it
 * @throws Error with a sentence if it cannot be created, or takes no files
 */
export async function makeDataFolder(directory: string, setting = 'DATA_DIR'): Promise<void> {
  const unusable = (why: string) => (cause: unknown) => {
    if (isFault(cause)) throw cause
    throw new Error(
      `${setting} ${directory} ${why}: choose a folder in which the user of the service may write`,
      { cause },
    )
  }
  await makeFolder(directory).catch((error: unknown) => {
    const found = codeOf(error)
    const why =
      found === 'EEXIST' ? 'is a file' : found === 'ENOTDIR' ? 'is within a file' : 'cannot be created'
    unusable(why)(error)
  })
  await tryToWrite(directory).catch(unusable('takes no files'))
  const { mode, uid } = await stat(directory)
  if ((mode & 0o077) !== 0 && uid === process.getuid?.()) await chmod(directory, 0o700)
}

/** Faults that pass, as of a full disk, and say nothing about the choice of a folder. */
const isFault = (error: unknown) =>
  ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EIO'].includes(codeOf(error) ?? '')

async function tryToWrite(directory: string): Promise<void> {
  const path = join(directory, `${randomUUID()}${TEMPORARY}`)
  await (await open(path, 'wx', 0o600)).close()
  await rm(path, { force: true })
}

/**
 * Replaces a file atomically and durably with one that only its owner can read.
 * If writing fails, the old content stays and nothing else is left on disk.
 */
export async function replaceFile(path: string, content: FileContent): Promise<void> {
  await writeAside(path, content, (temporary) => rename(temporary, path))
}

/** Creates a file like `replaceFile`, but keeps an existing one: of several concurrent writers, one wins. */
export async function createFile(path: string, content: FileContent): Promise<void> {
  await writeAside(path, content, async (temporary) => {
    try {
      await link(temporary, path)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  })
}

/** Awaits a file operation. Returns undefined if the file does not exist. */
export async function ifPresent<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Reads a text file; undefined if there is none. @throws Error that names the file if it cannot be read */
export async function readIfPresent(path: string): Promise<string | undefined> {
  return ifPresent(readFile(path, 'utf8')).catch((error: unknown) => {
    throw new Error(`${path} cannot be read (${codeOf(error)})`, { cause: error })
  })
}

async function writeAside(
  path: string,
  content: FileContent,
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${randomUUID()}${TEMPORARY}`
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await writeFile(handle, content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await place(temporary)
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined)
  }
  await syncFolder(dirname(path))
}

/**
 * Creates a lowdb adapter for a small document in a JSON file that only its owner can read. A write resolves once it is
 * durable, and replaces the file whole.
 * @param parse checks the text of the file; its error rejects the read
 */
export function documentFile<T>(path: string, parse: (text: string) => T): Adapter<T | null> {
  return {
    async read() {
      const text = await readIfPresent(path)
      return text === undefined ? null : parse(text)
    },
    write: (data) => replaceFile(path, `${JSON.stringify(data)}\n`),
  }
}
