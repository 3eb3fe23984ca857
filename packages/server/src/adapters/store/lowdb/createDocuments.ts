import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type Adapter, Low } from 'lowdb'
import type { HostDocument } from '../../../domain/facts/hostDocument.ts'
import { StoreOpenError } from '../../../domain/facts/storeError.ts'
import { ifPresent, replaceFile } from '../../../durable/durableFiles.ts'
import { codeOf, messageOf } from '../../../errors.ts'
import { moveAside } from './damagedFiles.ts'
import type { OnReport } from './report.ts'

/** A document and the sequence number of the log call that wrote it. */
export type NumberedDocument = { readonly seq: number; readonly document: HostDocument }

/** Content of a shard's file. */
type Shard = { documents: readonly NumberedDocument[] }

/** States that the files of these shards hold every document of the log up to `seq`. */
type Checkpoint = { seq: number; shards: readonly number[] }

/** Host documents in memory, and on disk in one file per hash value of the host. */
export type Documents = {
  /** Sequence number up to which the files are complete; 0 if one is missing or damaged. */
  readonly loadedSeq: number
  /** Highest sequence number of any document or the checkpoint. */
  readonly lastSeq: () => number
  /** Starts writing changes, once the log has been replayed. */
  start(): void
  put(entry: NumberedDocument): void
  get(host: string): NumberedDocument | undefined
  all(): IterableIterator<NumberedDocument>
  /** Writes changed files, one after the other. */
  flush(): Promise<void>
  /** Writes changed files and stops. */
  close(): Promise<void>
}

/** Dependencies of the documents. */
export type DocumentsDeps = {
  readonly directory: string
  /** Delay in ms before changes are written, to batch them. */
  readonly flushDelayMs: number
  readonly onReport: OnReport
}

/** Number of files: at 50,000 endpoints each has a few hundred kB, which takes a few ms to write. */
const SHARDS = 256

/**
 * Loads the documents. The log holds them too, so files may be written late, and a damaged or missing file only makes
 * the start slower.
 */
export async function createDocuments({
  directory,
  flushDelayMs,
  onReport,
}: DocumentsDeps): Promise<Documents> {
  const checkpoint = new Low<Checkpoint>(documentFile(join(directory, 'checkpoint.json'), onReport), {
    seq: 0,
    shards: [],
  })
  await checkpoint.read()
  const shards = await Promise.all(Array.from({ length: SHARDS }, (_, index) => loadShard(index)))
  const isWhole = checkpoint.data.shards.every((index) => shards[index]?.found)
  const loadedSeq = isWhole ? checkpoint.data.seq : 0
  let lastSeq = checkpoint.data.seq
  for (const { byHost } of shards) for (const { seq } of byHost.values()) lastSeq = Math.max(lastSeq, seq)
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()
  let writing = false

  const shardOf = (host: string) => {
    const shard = shards[crc32(host) % SHARDS]
    if (!shard) throw new RangeError('A hash value must be below the number of shards')
    return shard
  }

  async function loadShard(index: number) {
    const path = join(directory, `${String(index).padStart(3, '0')}.json`)
    const low = new Low<Shard>(documentFile(path, onReport), { documents: [] })
    await low.read()
    const byHost = new Map(low.data.documents.map((entry) => [entry.document.host, entry]))
    low.data = { documents: [] }
    return { low, byHost, found: byHost.size > 0, changed: false }
  }

  const writeChanged = async (): Promise<void> => {
    const seq = lastSeq
    try {
      for (const shard of shards) {
        if (shard.changed) await writeShard(shard)
      }
      if (seq > checkpoint.data.seq) {
        const present = shards.flatMap((shard, index) => (shard.byHost.size > 0 ? [index] : []))
        checkpoint.data = { seq, shards: present }
        await checkpoint.write()
      }
    } catch (error) {
      const detail = `Cannot write documents, retrying: ${messageOf(error)}`
      onReport({ code: 'write_failed', file: directory, detail })
    }
  }

  const writeShard = async (shard: (typeof shards)[number]): Promise<void> => {
    shard.changed = false
    try {
      shard.low.data = { documents: [...shard.byHost.values()] }
      await shard.low.write()
    } catch (error) {
      shard.changed = true
      throw error
    } finally {
      shard.low.data = { documents: [] }
    }
  }

  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    flushing = flushing.then(writeChanged).then(schedule)
    return flushing
  }

  const schedule = (): void => {
    if (!writing || timer || !shards.some((shard) => shard.changed)) return
    timer = setTimeout(() => void flush(), flushDelayMs)
    timer.unref()
  }

  return {
    loadedSeq,
    lastSeq: () => lastSeq,
    start() {
      writing = true
      schedule()
    },
    put(entry) {
      const shard = shardOf(entry.document.host)
      const present = shard.byHost.get(entry.document.host)
      if (present && present.seq >= entry.seq) return
      shard.byHost.set(entry.document.host, entry)
      lastSeq = Math.max(lastSeq, entry.seq)
      shard.changed = true
      schedule()
    },
    get: (host) => shardOf(host).byHost.get(host),
    *all() {
      for (const shard of shards) yield* shard.byHost.values()
    },
    flush,
    async close() {
      writing = false
      await flush()
    },
  }
}

/** Creates a lowdb adapter with durable writes and checksums. */
function documentFile<T>(path: string, onReport: OnReport): Adapter<T> {
  return {
    async read() {
      try {
        const text = await ifPresent(readFile(path, 'utf8'))
        return text === undefined ? null : decode(text)
      } catch (error) {
        if (codeOf(error) === 'EACCES') throw new StoreOpenError(`Cannot read ${path}`, { cause: error })
        const aside = await moveAside(path)
        const detail = `The file is damaged (${messageOf(error)}); moved it to ${aside} and rebuilt it from the log`
        onReport({ code: 'corrupt_document', file: path, detail })
        return null
      }
    },
    write: (data) => replaceFile(path, encode(data)),
  }
}

const HEAD = /^\{"v":1,"crc":"([0-9a-f]{8})","data":/

function encode(data: unknown): string {
  const json = JSON.stringify(data)
  return `{"v":1,"crc":"${checksum(json)}","data":${json}}\n`
}

function decode<T>(text: string): T {
  const head = HEAD.exec(text)
  if (!head) throw new SyntaxError('not a document file of this version')
  const json = text.slice(head[0].length, text.lastIndexOf('}'))
  if (checksum(json) !== head[1]) throw new SyntaxError('wrong checksum')
  return JSON.parse(json)
}

function checksum(json: string): string {
  return crc32(json).toString(16).padStart(8, '0')
}
