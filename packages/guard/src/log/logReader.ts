import {
  bundlePath,
  checkContinues,
  LogError,
  type OpenedCheckpoint,
  openCheckpoint,
  readBundle,
  readInclusion,
  TILE_WIDTH,
  type TreeHead,
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
  const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

  return {
    checkpoint: async () => openCheckpoint(textOf(await get('checkpoint')), policy, now()),
    checkContinues: (older, newer) => checkContinues(get, older, newer),
    prove: (index, leaf, head) => readInclusion(get, index, leaf, head),
    async *entries(from, head) {
      for (let bundle = Math.floor(from / TILE_WIDTH); bundle * TILE_WIDTH < head.size; bundle++) {
        const [leaves, openings] = await Promise.all([
          readBundle(get, bundle, head),
          get(bundlePath(bundle, head.size).replace('tile/entries', 'openings')),
        ])
        const lines = textOf(openings).split('\n')
        for (const [at, leaf] of leaves.entries()) {
          const index = bundle * TILE_WIDTH + at
          if (index >= from) yield { index, leaf, opening: lines[at] || null }
        }
      }
    },
  }
}
