import { randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SnapshotsFullError } from '../../domain/facts/snapshotError.ts'
import { HOUR } from '../../domain/facts/times.ts'
import type { Snapshots } from '../../ports/snapshots.ts'

export type SnapshotsOptions = {
  /** The folder, made when it is not there. */
  readonly directory: string
  /** Whether other processes use the folder too; each keeps to the room by what it last saw of it. @default false */
  readonly isShared?: boolean
  /** Real time, milliseconds since 1970. @default Date.now */
  readonly now?: () => number
  /** Room for all snapshots together, in bytes. @default 8 GiB */
  readonly maxBytes?: number
}

/** A payer may ask for an answer again for 24 hours after its settlement, which comes up to an hour after the writing. */
const KEPT_MS = 25 * HOUR
const DEFAULT_MAX_BYTES = 8 * 1024 ** 3
/** Nobody writes one snapshot for so long. */
const LONGEST_WRITE_MS = 3_600_000
/** How much is written, and read, at once. */
const BLOCK_BYTES = 128 * 1024

/** Only names that were given out here are looked for. */
const ID = /^[A-Za-z0-9_-]{22}$/
const EXTENSION = '.json'
const TEMPORARY = '.tmp'

/** Opens the folder of snapshots. What a crash left half-written is removed. */
export async function createSnapshots(options: SnapshotsOptions): Promise<Snapshots> {
  const { directory, now = Date.now, maxBytes = DEFAULT_MAX_BYTES } = options
  await mkdir(directory, { recursive: true, mode: 0o700 })
  for (const name of await readdir(directory)) {
    if (!name.endsWith(TEMPORARY)) continue
    const path = join(directory, name)
    const found = await statIfThere(path)
    const isOurs = !options.isShared || (found && now() - found.mtimeMs >= LONGEST_WRITE_MS)
    if (isOurs) await rm(path, { force: true })
  }
  const pathOf = (id: string) => join(directory, `${id}${EXTENSION}`)
  let usedBytes = 0

  const sweep = async () => {
    let kept = 0
    for (const name of await readdir(directory)) {
      if (!name.endsWith(EXTENSION)) continue
      const path = join(directory, name)
      const found = await statIfThere(path)
      if (found === undefined) continue
      if (now() - found.mtimeMs >= KEPT_MS) await rm(path, { force: true })
      else kept += found.size
    }
    usedBytes = kept
  }
  await sweep()

  return {
    sweep,
    async write(chunks) {
      const id = randomBytes(16).toString('base64url')
      const temporary = join(directory, `${id}${TEMPORARY}`)
      const file = await open(temporary, 'wx', 0o600)
      let bytes = 0
      try {
        try {
          for await (const part of toBlocks(chunks)) {
            bytes += part.length
            if (usedBytes + bytes > maxBytes) throw new SnapshotsFullError('There is no room for a snapshot.')
            await writeAll(file, part)
          }
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(temporary, pathOf(id))
        await syncFolder(directory)
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
      usedBytes += bytes
      return { kind: 'snapshot', id, bytes }
    },
    async open(id) {
      if (!ID.test(id)) return undefined
      const file = await openIfThere(pathOf(id))
      if (file === undefined) return undefined
      const { size } = await file.stat()
      return { bytes: size, chunks: readBlocks(file) }
    },
  }
}

/**
 * Text put together into blocks that are worth a write. There is one buffer for all of them, so a block is good until
 * the next is asked for: a new one each time would pile up outside the heap until the collector comes by.
 */
async function* toBlocks(chunks: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let block = Buffer.allocUnsafe(BLOCK_BYTES)
  let length = 0
  for await (const chunk of chunks) {
    const bytes = Buffer.byteLength(chunk)
    if (length + bytes > block.length) {
      if (length > 0) yield block.subarray(0, length)
      length = 0
      if (bytes > block.length) block = Buffer.allocUnsafe(bytes)
    }
    length += block.write(chunk, length)
  }
  if (length > 0) yield block.subarray(0, length)
}

async function writeAll(file: FileHandle, block: Uint8Array): Promise<void> {
  for (let written = 0; written < block.length; ) {
    written += (await file.write(block, written, block.length - written)).bytesWritten
  }
}

/** The file from its beginning, through one buffer; closes it at the end or when it is not wanted any more. */
async function* readBlocks(file: FileHandle): AsyncGenerator<Uint8Array> {
  try {
    const block = Buffer.allocUnsafe(BLOCK_BYTES)
    for (;;) {
      const { bytesRead } = await file.read(block, 0, block.length)
      if (bytesRead === 0) return
      yield block.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

const openIfThere = (path: string): Promise<FileHandle | undefined> => ifThere(() => open(path, 'r'))

const statIfThere = (path: string): Promise<Stats | undefined> => ifThere(() => stat(path))

async function ifThere<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

async function syncFolder(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
