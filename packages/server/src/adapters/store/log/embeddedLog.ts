import { hashLeaf, type LeafText } from '@touchstone402/shared/log'
import type { NewLeaf } from '../../../domain/facts/leaves.ts'
import type { LogHead, LogStore, TilePlace } from '../../../ports/log.ts'
import type { Changed } from '../../../ports/store.ts'
import type { Transaction, Writer } from '../embedded/createWriter.ts'
import { type Key, keyOf, openText, type Range, uint } from '../embedded/keys.ts'
import { type Committed, collect, fromBytes, read, type Source, toBytes } from '../embedded/source.ts'
import { growTree } from './growTree.ts'

// A leaf is written once, at its final place: the store has one writer, so the order of writing is the order of the log.
// Leaves from the size of the tree up to the count of leaves wait.

const NUMBER_BYTES = 6
/** Number of leaves, of which those that wait are the last. */
const COUNT = keyOf('L', 'c')
/** Number of leaves in the tree. */
const SIZE = keyOf('L', 's')
const HEAD = keyOf('L', 'h')
/** A leaf, then its opening on a second line. */
const entryKey = (index: number) => keyOf('L', 'e', uint(index, NUMBER_BYTES))
/** The endpoint that a waiting leaf is about. */
const aboutKey = (index: number) => keyOf('L', 'a', uint(index, NUMBER_BYTES))
const tileKey = ({ level, index }: TilePlace) => keyOf('L', 't', uint(level, 1), uint(index, NUMBER_BYTES))
/** The place of a key's newest leaf. */
const knownKey = (key: string): Key => keyOf('L', 'k', openText(key))

const rangeOf = (keyAt: (index: number) => Key, from: number, to: number): Range => ({
  gte: keyAt(from),
  lt: keyAt(to),
})

const LINE_END = 10

/** Canonical JSON has no line breaks. */
const joinEntry = ({ leaf, opening }: LeafText) =>
  Buffer.from(opening === null ? leaf : `${leaf}\n${opening}`)

/** Returns where the leaf of an entry ends. */
function leafEnd(entry: Buffer): number {
  const end = entry.indexOf(LINE_END)
  return end < 0 ? entry.length : end
}

function splitEntry(entry: Buffer): LeafText {
  const end = leafEnd(entry)
  return {
    leaf: entry.toString('utf8', 0, end),
    opening: end === entry.length ? null : entry.toString('utf8', end + 1),
  }
}

/** Writes leaves that wait for their place. */
export async function putLeaves(tx: Transaction, leaves: readonly NewLeaf[]): Promise<void> {
  if (leaves.length === 0) return
  const before = await readCount(tx)
  let count = before
  for (const leaf of leaves) {
    if (leaf.once === true && (await tx.get(knownKey(leaf.key))) !== undefined) continue
    tx.put(entryKey(count), joinEntry(leaf))
    tx.put(knownKey(leaf.key), Buffer.from(`${count}`))
    if (leaf.about) tx.put(aboutKey(count), toBytes(leaf.about))
    count++
  }
  if (count > before) tx.put(COUNT, toBytes(count))
}

/** Reads the place of a key's newest leaf; null while it waits. */
export async function findLeaf(source: Source, key: string): Promise<number | null | undefined> {
  const [known, size] = await source.getMany([knownKey(key), SIZE])
  if (known === undefined) return undefined
  const index = Number(known)
  return index < Number(size ?? 0) ? index : null
}

async function sequence(tx: Transaction, limit: number, notify: (changed: Changed) => void): Promise<number> {
  const size = await readSize(tx)
  const end = Math.min(await readCount(tx), size + limit)
  if (end <= size) return 0
  const hashes = await collect(tx, rangeOf(entryKey, size, end), (entry) =>
    hashLeaf(entry.subarray(0, leafEnd(entry))),
  )
  if (hashes.length !== end - size) throw new Error(`a leaf from ${size} to ${end} is missing`)
  for await (const [key, about] of tx.list(rangeOf(aboutKey, size, end))) {
    tx.delete(key)
    tx.afterwards(() => notify(fromBytes<Changed>(about)))
  }
  for (const tile of await growTree(size, hashes, (place) => tx.get(tileKey(place))))
    tx.put(tileKey(tile), tile.hashes)
  tx.put(SIZE, toBytes(end))
  return end - size
}

const readSize = async (source: Source) => Number((await source.get(SIZE)) ?? 0)
const readCount = async (source: Source) => Number((await source.get(COUNT)) ?? (await source.get(SIZE)) ?? 0)

/** Creates the log of a store. @param notify called for each endpoint whose newest leaf got its place */
export function createLogStore(
  source: Committed,
  writer: Writer,
  notify: (changed: Changed) => void,
): LogStore {
  return {
    add: (leaves) => writer.run((tx) => putLeaves(tx, leaves)),
    sequence: (limit) => writer.run((tx) => sequence(tx, limit, notify)),
    size: () => readSize(source),
    async countWaiting() {
      const [count, size] = await source.getMany([COUNT, SIZE])
      return Number(count ?? 0) - Number(size ?? 0)
    },
    find: (key) => findLeaf(source, key),
    tiles: (places) => source.getMany(places.map(tileKey)),
    async entries(from, to) {
      const end = Math.min(to, await readSize(source))
      const places = Array.from({ length: Math.max(0, end - from) }, (_, index) => from + index)
      const entries = await source.getMany(places.map(entryKey))
      return entries.flatMap((entry) => (entry === undefined ? [] : [splitEntry(entry)]))
    },
    forget: (index) =>
      writer.run(async (tx) => {
        const entry = index < (await readSize(tx)) ? await tx.get(entryKey(index)) : undefined
        if (entry === undefined || leafEnd(entry) === entry.length) return false
        tx.put(entryKey(index), entry.subarray(0, leafEnd(entry)))
        return true
      }),
    head: async () => (await read<LogHead>(source, HEAD)) ?? null,
    putHead: (head) => writer.run(async (tx) => tx.put(HEAD, toBytes(head))),
  }
}
