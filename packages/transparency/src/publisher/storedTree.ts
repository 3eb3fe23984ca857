import { parseCheckpoint } from '../checkpoint/checkpoint.ts'
import { makeLogProof } from '../checkpoint/proof.ts'
import { parseNote } from '../notes/note.ts'
import { HASH_BYTES, sameBytes } from '../tree/hash.ts'
import { readFromTiles } from '../tree/tiles.ts'
import { type ReadSubtrees, rootOf } from '../tree/tree.ts'
import type { TreeHead } from '../tree/verify.ts'
import type { LogHead, LogStorage } from './storage.ts'

/** Returns a reader of the tree of the first `size` entries. */
export function readTree(log: Pick<LogStorage, 'tiles'>, size: number): ReadSubtrees {
  return readFromTiles(size, async (wanted) => {
    const places = wanted.map(({ level, index }) => ({ level: Number(level), index }))
    const found = await log.tiles(places)
    // A tile may have grown since.
    return wanted.map(({ width }, at) => (found[at] ?? NOTHING).subarray(0, width * HASH_BYTES))
  })
}

const NOTHING = new Uint8Array()

/** Whether the tree still begins with the entries that were signed. */
export async function isWhole(log: Pick<LogStorage, 'tiles' | 'size'>, head: LogHead): Promise<boolean> {
  return continues(log, await log.size(), parseCheckpoint(parseNote(head.note).text))
}

/** Whether the first `size` entries of the tree begin with those of an older one. */
export async function continues(
  log: Pick<LogStorage, 'tiles'>,
  size: number,
  older: TreeHead,
): Promise<boolean> {
  return older.size <= size && sameBytes(await rootOf(older.size, readTree(log, older.size)), older.root)
}

/**
 * Returns the C2SP tlog-proof of an entry under the published checkpoint; undefined if that does not cover it.
 * @param extra data that is not authenticated, for the reader of the proof
 */
export async function proveEntry(
  log: Pick<LogStorage, 'tiles' | 'head'>,
  index: number,
  extra?: Uint8Array,
): Promise<string | undefined> {
  const head = await log.head()
  if (head === null || index >= head.size) return undefined
  const { size, note: checkpoint } = head
  return makeLogProof({ index, size, checkpoint, extra }, readTree(log, size))
}
