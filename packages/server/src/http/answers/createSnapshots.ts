import { randomBytes } from 'node:crypto'
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SnapshotsFullError } from '../../facts/storeError.ts'
import { HOUR } from '../../facts/times.ts'
import { ifPresent, makeFolder, replaceFile, TEMPORARY } from '../../lib/durableFiles.ts'
import type { Snapshots } from './snapshots.ts'

/** Options of `createSnapshots`. */
export type SnapshotsOptions = {
  /** Folder of the snapshots, created if missing. */
  readonly directory: string
  /** Whether other processes share the folder. Each applies the limit to what its last sweep saw. */
  readonly isShared: boolean
}

/** Answers are replayed for 24 hours after settlement, which may follow the write by up to an hour. */
const KEPT_MS = 25 * HOUR
/** Age at which a temporary file of another process counts as abandoned. */
const LONGEST_WRITE_MS = HOUR
/** Maximum size of all snapshots together in bytes. */
const MAX_BYTES = 8 * 1024 ** 3
/** Size of one read or write. */
const BLOCK_BYTES = 128 * 1024

/** Format of snapshot ids; anything else could escape the folder. */
const ID = /^[A-Za-z0-9_-]{22}$/
const EXTENSION = '.json'

/** Opens the snapshot folder and removes files that a crash left half-written. */
export async function createSnapshots(options: SnapshotsOptions): Promise<Snapshots> {
  const { directory } = options
  await makeFolder(directory)
  const pathOf = (id: string) => join(directory, `${id}${EXTENSION}`)
  let usedBytes = 0

  /** Removes files with a suffix that are old enough; returns the size of the others in bytes. */
  const removeOlder = async (suffix: string, ageMs: number): Promise<number> => {
    let kept = 0
    for (const name of await readdir(directory)) {
      if (!name.endsWith(suffix)) continue
      const path = join(directory, name)
      const found = await ifPresent(stat(path))
      if (found === undefined) continue
      if (Date.now() - found.mtimeMs >= ageMs) await rm(path, { force: true })
      else kept += found.size
    }
    return kept
  }
  const sweep = async () => {
    usedBytes = await removeOlder(EXTENSION, KEPT_MS)
  }
  await removeOlder(TEMPORARY, options.isShared ? LONGEST_WRITE_MS : Number.NEGATIVE_INFINITY)
  await sweep()

  return {
    sweep,
    async write(chunks) {
      const id = randomBytes(16).toString('base64url')
      let bytes = 0
      async function* limited() {
        for await (const block of toBlocks(chunks)) {
          bytes += block.length
          if (usedBytes + bytes > MAX_BYTES) throw new SnapshotsFullError('The snapshot folder is full')
          yield block
        }
      }
      await replaceFile(pathOf(id), limited())
      usedBytes += bytes
      return { kind: 'snapshot', id, bytes }
    },
    async open(id) {
      if (!ID.test(id)) return undefined
      const file = await ifPresent(open(pathOf(id), 'r'))
      if (file === undefined) return undefined
      const { size } = await file.stat()
      return { bytes: size, chunks: readBlocks(file) }
    },
  }
}

/**
 * Batches text into blocks for writing. All blocks share one buffer, so a block is valid until the next is requested;
 * a new buffer per block would pile up outside the heap between collections.
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

/** Reads a file through one buffer and closes it when the reader finishes or stops. */
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
