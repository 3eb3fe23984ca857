import { createMemoryStore, readLeaves, readTiles } from '@touchstone402/server/testing'
import { writeLeaf } from '@touchstone402/shared/leaves'
import {
  COSIGNATURE_TYPE,
  createCosigner,
  encodeEntries,
  formatCheckpoint,
  formatSignerKey,
  formatVerifierKey,
  type NoteSigner,
  parseSignerKey,
  parseTilePath,
  publicKeyOf,
  rootOf,
  signNote,
  tileWidth,
  verifierKeyOf,
} from '@touchstone402/transparency'
import { listTiles, readTree } from '@touchstone402/transparency/publisher'

export const ORIGIN = 'trust.example/log'
export const NOW = Date.parse('2026-01-31T12:00:00Z')
const seed = (number: number) => new Uint8Array(32).fill(number)

/** Signers of a log and two witnesses, and the keys that readers know. */
export async function createKeys() {
  const signerKey = await formatSignerKey(ORIGIN, seed(1))
  const witness = async (number: number) => ({
    key: formatVerifierKey(`w${number}.example`, await publicKeyOf(seed(number)), COSIGNATURE_TYPE),
    sign: (at: number) => createCosigner(`w${number}.example`, seed(number), () => at),
  })
  return {
    log: await parseSignerKey(signerKey),
    stranger: await parseSignerKey(await formatSignerKey(ORIGIN, seed(9))),
    key: await verifierKeyOf(signerKey),
    witnesses: [await witness(2), await witness(3)] as const,
    unknownWitness: await witness(4),
  }
}

/** Keys of a world. */
export type Keys = Awaited<ReturnType<typeof createKeys>>

/** Texts of leaf number `index`; a fork's differ from `forkAt` on. */
export function leafAt(index: number, forkAt = Number.POSITIVE_INFINITY) {
  const host = `h${index % 7}.example`
  const at = new Date(NOW - 86_400_000 + index * 1000).toISOString()
  const verdict = index >= forkAt ? 'avoid' : 'safe'
  // Every ninth is about a map, and names no host.
  return index % 9 === 0
    ? writeLeaf({ kind: 'map', at, version: index, sha256: verdict }, null)
    : writeLeaf(
        { kind: 'decision', at, verdict },
        {
          salt: Buffer.alloc(16, index % 256).toString('base64'),
          host,
          endpoint: `https://${host}/${index}`,
        },
      )
}

/** A tree of leaves that are served as files. */
export type Tree = Awaited<ReturnType<typeof growLog>>

/** Grows a log of `size` leaves, in the store of the service. */
export async function growLog(size: number, forkAt?: number) {
  const store = createMemoryStore()
  await store.write(
    'addLeaves',
    Array.from({ length: size }, (_, index) => ({ ...leafAt(index, forkAt), key: `leaf ${index}` })),
  )
  await store.write('sequenceLeaves', size)
  const entries = await readLeaves(store, 0, size)
  const tiles = new Map<string, Uint8Array>()
  for (const { level, index } of listTiles(size)) {
    if (level === 'entries') continue
    const [tile] = await readTiles(store, [{ level, index }])
    if (tile) tiles.set(`${level} ${index}`, tile)
  }
  const tile = (level: number, index: number, width: number) =>
    (tiles.get(`${level} ${index}`) ?? new Uint8Array()).subarray(0, 32 * width)
  const headAt = async (count: number) => {
    const read = readTree({ tiles: (places) => readTiles(store, places) }, count)
    return { origin: ORIGIN, size: count, root: await rootOf(count, read) }
  }
  return { log: store, entries, tile, headAt, size }
}

/** Signs the checkpoint of a tree. @param signers the log and the witnesses that sign */
export async function signHead(tree: Tree, size: number, signers: readonly NoteSigner[]): Promise<string> {
  return signNote(formatCheckpoint(await tree.headAt(size)), signers)
}

/** Answers a path below `/log/` of a service; undefined is a 404. */
export type Answer = (path: string) => Uint8Array | undefined

/** Serves a tree under a checkpoint. */
export function serveTree(tree: Tree, note: string): Answer {
  const encode = (text: string) => new TextEncoder().encode(text)
  return (path) => {
    if (path === 'checkpoint') return encode(note)
    const isOpening = path.startsWith('openings/')
    const tile = parseTilePath(isOpening ? path.replace('openings/', 'tile/entries/') : path)
    if (tile === undefined || tile.width > tileWidth(tile.level, tile.index, tree.size)) return undefined
    if (tile.level !== 'entries') return tree.tile(tile.level, tile.index, tile.width)
    const entries = tree.entries.slice(tile.index * 256, tile.index * 256 + tile.width)
    return isOpening
      ? encode(entries.map(({ opening }) => `${opening ?? ''}\n`).join(''))
      : encodeEntries(entries.map(({ leaf }) => encode(leaf)))
  }
}

/** Sends requests to an answerer. */
export function fetchFrom(answer: Answer): typeof fetch {
  return async (input) => {
    const body = answer(new URL(String(input)).pathname.slice('/log/'.length))
    return body === undefined ? new Response('nothing', { status: 404 }) : new Response(new Uint8Array(body))
  }
}
