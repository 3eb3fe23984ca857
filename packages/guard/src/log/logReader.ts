import {
  decodeEntries,
  hashLeaf,
  LogError,
  type OpenedCheckpoint,
  openCheckpoint,
  proveConsistency,
  proveInclusion,
  type ReadTiles,
  readFromTiles,
  TILE_WIDTH,
  type TreeHead,
  tilePath,
  tileWidth,
  verifyConsistency,
  verifyInclusion,
} from '@touchstone402/transparency'
import { readBytes } from '../readBody.ts'
import type { FetchLike } from '../types.ts'
import { type LogCheckOptions, readPolicy } from './logCheck.ts'

/**
 * A leaf that the checkpoint covers, and its opening if that is published.
 * @example
 * const textOf = ({ leaf }: LogEntry) => new TextDecoder().decode(leaf)
 */
export type LogEntry = { readonly index: number; readonly leaf: Uint8Array; readonly opening: string | null }

/**
 * Reads a log and checks everything against its checkpoints.
 * @example
 * const sizeOf = async (reader: LogReader) => (await reader.checkpoint()).size
 */
export type LogReader = {
  /** @throws LogError if the policy does not accept the newest checkpoint */
  checkpoint(): Promise<OpenedCheckpoint>
  /** @throws LogError `inconsistent` if a tree does not continue an older one */
  checkContinues(older: TreeHead, newer: TreeHead): Promise<void>
  /** Returns the inclusion proof of a leaf. @throws LogError `not_included` */
  prove(index: number, leaf: Uint8Array, head: TreeHead): Promise<readonly Uint8Array[]>
  /** Yields entries from one place to the end of a tree. @throws LogError `not_included` or `wrong_tile` */
  entries(from: number, head: TreeHead): AsyncIterable<LogEntry>
}

/**
 * Options of {@link createLogReader}.
 * @example
 * const options: LogReaderOptions = { url: 'https://trust.example', key: 'trust.example/log+1a2b3c4d+AZ…' }
 */
export type LogReaderOptions = LogCheckOptions & {
  /** Base URL of the service, without a slash at its end. */
  url: string
  /** Sends requests. @default the global fetch */
  fetch?: FetchLike
}

const TIMEOUT_MS = 10_000
/** A bundle of 256 entries of 64 kB. */
const MAX_BYTES = 17 * 1024 * 1024

/**
 * Creates the reader of a service's log.
 * @throws ConfigurationError if a key cannot be parsed, or the quorum exceeds the witnesses
 * @example
 * const reader = createLogReader({ url: 'https://trust.example', key: 'trust.example/log+1a2b3c4d+AZ…' })
 * const head = await reader.checkpoint()
 * for await (const { index, leaf } of reader.entries(0, head)) console.log(index, new TextDecoder().decode(leaf))
 */
export function createLogReader(options: LogReaderOptions): LogReader {
  const { url, fetch = globalThis.fetch, now = Date.now } = options
  const policy = readPolicy(options)
  const get = async (path: string): Promise<Uint8Array> => {
    const response = await fetch(`${url}/log/${path}`, {
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (response.status !== 200) throw new LogError('wrong_tile', `/log/${path} answered ${response.status}`)
    return readBytes(response, MAX_BYTES, TIMEOUT_MS)
  }
  const readTiles: ReadTiles = (tiles) => Promise.all(tiles.map((tile) => get(tilePath(tile))))
  const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

  const readBundle = async (index: number, { size, root }: TreeHead) => {
    const width = tileWidth('entries', index, size)
    const tile = { level: 'entries', index, width } as const
    const [bundle, openings] = await Promise.all([
      get(tilePath(tile)),
      get(tilePath(tile).replace('tile/entries', 'openings')),
    ])
    const entries = decodeEntries(bundle)
    if (entries?.length !== width) throw new LogError('wrong_tile', `${tilePath(tile)} is damaged`)
    const own = new Uint8Array(entries.flatMap((entry) => [...hashLeaf(entry)]))
    // The tile is made from the entries, so the proof of one of them covers all.
    const isOwn = (path: string) => path === tilePath({ ...tile, level: 0 })
    const read: ReadTiles = (tiles) =>
      Promise.all(tiles.map((wanted) => (isOwn(tilePath(wanted)) ? own : get(tilePath(wanted)))))
    const first = index * TILE_WIDTH
    const proof = await proveInclusion(first, size, readFromTiles(size, read))
    const [leaf = new Uint8Array()] = entries
    if (!verifyInclusion({ leafHash: hashLeaf(leaf), index: first, proof }, { size, root })) {
      throw new LogError('not_included', `the entries from ${first} on are not those of the checkpoint`)
    }
    const lines = textOf(openings).split('\n')
    return entries.map((bytes, at) => ({ index: first + at, leaf: bytes, opening: lines[at] || null }))
  }

  return {
    async checkpoint() {
      return openCheckpoint(textOf(await get('checkpoint')), policy, now())
    },
    async checkContinues(older, newer) {
      const isOlder = older.size <= newer.size
      const read = readFromTiles(newer.size, readTiles)
      const proof = isOlder ? await proveConsistency(older.size, newer.size, read).catch(asWrongTile) : []
      if (!isOlder || !verifyConsistency(older, newer, proof)) {
        throw new LogError(
          'inconsistent',
          `the tree of ${newer.size} leaves does not continue the one of ${older.size} that was seen before`,
        )
      }
    },
    async prove(index, leaf, head) {
      if (index >= head.size)
        throw new LogError('not_included', `the checkpoint does not cover leaf ${index}`)
      const proof = await proveInclusion(index, head.size, readFromTiles(head.size, readTiles)).catch(
        asWrongTile,
      )
      if (!verifyInclusion({ leafHash: hashLeaf(leaf), index, proof }, head)) {
        throw new LogError('not_included', `leaf ${index} is not the one that the checkpoint covers`)
      }
      return proof
    },
    async *entries(from, head) {
      for (let index = Math.floor(from / TILE_WIDTH); index * TILE_WIDTH < head.size; index++) {
        const entries = await readBundle(index, head).catch(asWrongTile)
        for (const entry of entries) if (entry.index >= from) yield entry
      }
    },
  }
}

/** A tile of another length cannot be computed with. */
function asWrongTile(error: unknown): never {
  if (error instanceof RangeError) throw new LogError('wrong_tile', error.message, { cause: error })
  throw error
}
