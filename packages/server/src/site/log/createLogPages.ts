import { encodeEntries, HASH_BYTES, parseTilePath, type Tile, tileWidth } from '@touchstone402/shared/log'
import type { Page, PageAnswer } from '../../http/deps.ts'
import { proveEntry } from '../../log/createLogTree.ts'
import type { PageDeps } from '../pageDeps.ts'
import { createDayPage, createInputsPage } from './dayPage.ts'
import { createLeafPage } from './leafPage.ts'
import { createLogPage } from './logPage.tsx'

const TEXT = 'text/plain; charset=utf-8'
const BYTES = 'application/octet-stream'
const YEAR_SECONDS = 365 * 86_400
/** Checkpoints change, so caches may hold them for seconds only. */
const CHECKPOINT_SECONDS = 5

/** Creates the log: its checkpoint, tiles, entries and openings (C2SP tlog-tiles), and the pages that explain them. */
export function createLogPages(deps: PageDeps): Page[] {
  const { log } = deps.store
  return [
    createLogPage(deps),
    createDayPage(deps),
    createInputsPage(deps),
    createLeafPage((index) => proveEntry(log, index)),
    {
      path: '/log/checkpoint',
      async handler() {
        const head = await log.head()
        if (head === null) return nothing('The log has no checkpoint yet.')
        return { type: TEXT, body: head.note, maxAgeSeconds: CHECKPOINT_SECONDS }
      },
    },
    {
      path: '/log/tile/:level/*place',
      async handler({ params }) {
        const tile = parseTilePath(`tile/${params.level}/${params.place}`)
        const bytes = tile && (await readTile(log, tile))
        return bytes === undefined
          ? nothing('The published checkpoint has no such tile.')
          : { type: BYTES, body: bytes, maxAgeSeconds: YEAR_SECONDS }
      },
    },
    {
      path: '/log/openings/*place',
      async handler({ params }) {
        const tile = parseTilePath(`tile/entries/${params.place}`)
        const range = tile && (await rangeOf(log, tile))
        if (range === undefined) return nothing('The published checkpoint has no such entries.')
        const entries = await log.entries(range.from, range.to)
        // One line a leaf; empty where it names nobody or the opening was deleted.
        const body = entries.map(({ opening }) => `${opening ?? ''}\n`).join('')
        return { type: TEXT, body, maxAgeSeconds: 300 }
      },
    },
  ]
}

type Log = PageDeps['store']['log']

async function readTile(log: Log, tile: Tile): Promise<Uint8Array | undefined> {
  const range = await rangeOf(log, tile)
  if (range === undefined) return undefined
  if (tile.level === 'entries') {
    const entries = await log.entries(range.from, range.to)
    return encodeEntries(entries.map(({ leaf }) => Buffer.from(leaf)))
  }
  const [hashes] = await log.tiles([{ level: tile.level, index: tile.index }])
  return hashes?.subarray(0, tile.width * HASH_BYTES)
}

/** Returns the entries of a tile's first level if the published checkpoint covers the tile. */
async function rangeOf(log: Log, tile: Tile): Promise<{ from: number; to: number } | undefined> {
  const size = (await log.head())?.size ?? 0
  if (tile.width > tileWidth(tile.level, tile.index, size)) return undefined
  const from = tile.index * 256
  return { from, to: from + tile.width }
}

const nothing = (body: string): PageAnswer => ({
  status: 404,
  type: TEXT,
  body: `${body}\n`,
  maxAgeSeconds: 0,
})
