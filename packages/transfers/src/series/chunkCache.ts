import { mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AddressTable } from '../columns/addressTable.ts'
import type { BlockRange, Hex, TransferColumns } from '../types.ts'
import { decodeChunk, encodeChunk, readChunkHeader } from './chunkFile.ts'
import type { FirstReading } from './secondReading.ts'

/** A chunk on disk. */
export type ChunkEntry = ChunkAbout & { readonly path: string }

/** A chunk without its rows. */
export type ChunkAbout = {
  readonly range: BlockRange
  readonly endHash: Hex
  /** The only reading of the rows so far; null once a second one agreed. */
  readonly first: FirstReading | null
}

/** Finalized ranges on disk. Unreadable chunks are treated as missing and read from the chain again. */
export type ChunkCache = {
  /** Lists the chunks of a series, ascending. Skips chunks of another chain or with an unreadable header. */
  list(series: string): Promise<ChunkEntry[]>
  /** Reads the rows of a chunk. Deletes a damaged one and returns null. */
  load(entry: ChunkEntry, addresses: AddressTable): Promise<TransferColumns | null>
  /** Writes a chunk and evicts the least recently used ones. Returns null if the disk fails. */
  save(series: string, about: ChunkAbout, columns: TransferColumns): Promise<ChunkEntry | null>
  remove(entry: ChunkEntry): Promise<void>
}

/** Options of the disk cache. */
export type ChunkCacheOptions = {
  readonly folder: string
  readonly chainId: number
  /** Maximum bytes on disk. */
  readonly maxBytes: number
}

const HEADER_BYTES = 64 * 1024
/** Share of the maximum that stays when it is exceeded, so that not every save evicts. */
const EVICT_TO = 0.9
const SUFFIX = '.chunk'

/** Reads the mark of a file. Which RPC an earlier process asked is not known; files without a mark were read once. */
function toFirst(readAt: number | null | undefined): FirstReading | null {
  return readAt === null ? null : { at: readAt ?? 0, by: null }
}

async function readStart(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Creates a cache with one folder per chain and series. The name of a series must match `[0-9a-z-]+`. */
export function createChunkCache({ folder, chainId, maxBytes }: ChunkCacheOptions): ChunkCache {
  const root = join(folder, String(chainId))
  let serial = 0
  /** Upper bound of the bytes on disk once they were measured; until then, what this process wrote. */
  let bytes = 0
  let isMeasured = false
  let tidying: Promise<void> | undefined
  /** Chunks whose save has not returned yet. */
  const saving = new Set<string>()

  const filesBelow = async () => {
    const found: { path: string; size: number; usedMs: number }[] = []
    for (const series of await readdir(root).catch(() => []))
      for (const name of await readdir(join(root, series)).catch(() => [])) {
        const path = join(root, series, name)
        const about = await stat(path).catch(() => null)
        if (about !== null && name.endsWith(SUFFIX))
          found.push({ path, size: about.size, usedMs: about.mtimeMs })
      }
    return found
  }

  const tidy = async () => {
    const before = bytes
    const files = await filesBelow()
    // Chunks saved meanwhile may or may not be among the files.
    bytes += files.reduce((sum, { size }) => sum + size, 0) - before
    isMeasured = true
    if (bytes <= maxBytes) return
    for (const { path, size } of files.sort((a, b) => a.usedMs - b.usedMs)) {
      if (bytes <= maxBytes * EVICT_TO) return
      if (saving.has(path)) continue
      await rm(path, { force: true })
      bytes -= size
    }
  }
  /** Keeps the maximum. There may be many files, so one scan serves all saves that wait, and later ones add to its sum. */
  const evict = async (added: number) => {
    bytes += added
    if (isMeasured && bytes <= maxBytes) return
    tidying ??= tidy().finally(() => {
      tidying = undefined
    })
    await tidying
  }

  return {
    async list(series) {
      const place = join(root, series)
      const entries: ChunkEntry[] = []
      for (const name of await readdir(place).catch(() => [])) {
        if (!name.endsWith(SUFFIX)) continue
        const path = join(place, name)
        const start = await readStart(path).catch(() => null)
        // The header exceeds this start only with very many values above 96 bits.
        const header =
          start && (readChunkHeader(start) ?? readChunkHeader(await readFile(path).catch(() => start)))
        if (!header) await rm(path, { force: true })
        else if (header.chainId === chainId && header.series === series)
          entries.push({ range: header.range, endHash: header.endHash, first: toFirst(header.readAt), path })
      }
      return entries.sort((a, b) => a.range.from - b.range.from)
    },
    async load({ path }, addresses) {
      const file = await readFile(path).catch(() => null)
      if (file === null) return null
      const columns = decodeChunk(file, addresses)
      if (columns === null) await rm(path, { force: true })
      else await utimes(path, new Date(), new Date()).catch(() => undefined)
      return columns
    },
    async save(series, about, columns) {
      const { range, endHash, first } = about
      const place = join(root, series)
      const path = join(place, `${range.from}-${range.to}${SUFFIX}`)
      const draft = `${path}.${process.pid}.${serial++}`
      saving.add(path)
      try {
        await mkdir(place, { recursive: true })
        const file = encodeChunk(columns, { chainId, series, range, endHash, readAt: first?.at ?? null })
        await writeFile(draft, file)
        await rename(draft, path)
        await evict(file.byteLength)
        return { ...about, path }
      } catch {
        await rm(draft, { force: true }).catch(() => undefined)
        return null
      } finally {
        saving.delete(path)
      }
    },
    remove: ({ path }) => rm(path, { force: true }),
  }
}
