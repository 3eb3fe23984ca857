import { joinLeaf } from '@touchstone402/shared/leaves'
import {
  makeLogProof,
  parseCheckpoint,
  parseNote,
  type ReadSubtrees,
  readFromTiles,
  rootOf,
  sameBytes,
  type TreeHead,
} from '@touchstone402/transparency'
import type { LogHead, LogStore } from '../ports/log.ts'

/** Returns a reader of the tree of the first `size` leaves. */
export function readTree(log: Pick<LogStore, 'tiles'>, size: number): ReadSubtrees {
  return readFromTiles(size, async (wanted) => {
    const places = wanted.map(({ level, index }) => ({ level: Number(level), index }))
    const found = await log.tiles(places)
    // A tile may have grown since.
    return wanted.map(({ width }, at) => (found[at] ?? NOTHING).subarray(0, width * 32))
  })
}

const NOTHING = new Uint8Array()

/** Whether the tree still begins with the leaves that were signed. */
export async function isWhole(log: Pick<LogStore, 'tiles' | 'size'>, head: LogHead): Promise<boolean> {
  return continues(log, await log.size(), parseCheckpoint(parseNote(head.note).text))
}

/** Whether the first `size` leaves of the tree begin with those of an older one. */
export async function continues(
  log: Pick<LogStore, 'tiles'>,
  size: number,
  older: TreeHead,
): Promise<boolean> {
  return older.size <= size && sameBytes(await rootOf(older.size, readTree(log, older.size)), older.root)
}

/** A leaf with its proof, for people and programs. */
export type ProvenEntry = {
  readonly index: number
  /** Canonical JSON. */
  readonly leaf: string
  /** Canonical JSON; null if the leaf contains no names or the opening was deleted. */
  readonly opening: string | null
  /** C2SP tlog-proof, complete for offline use. */
  readonly proof: string
}

/** Returns a leaf with its proof under the published checkpoint; undefined if that does not cover it. */
export async function proveEntry(log: LogStore, index: number): Promise<ProvenEntry | undefined> {
  const head = await log.head()
  if (head === null || index >= head.size) return undefined
  const [entry] = await log.entries(index, index + 1)
  if (entry === undefined) return undefined
  const { size, note: checkpoint } = head
  const proof = await makeLogProof({ index, size, checkpoint, extra: joinLeaf(entry) }, readTree(log, size))
  return { index, ...entry, proof }
}
