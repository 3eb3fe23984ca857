import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Tile, tilePath } from '@touchstone402/transparency'
import { type LogHead, listTiles, rangeOf, readTile } from '@touchstone402/transparency/publisher'
import { replaceFile } from '../lib/durableFiles.ts'
import { readLeaves } from '../store/log.ts'
import type { Store } from '../store/store.ts'
import { logStorage } from './logStorage.ts'

/** Returns the openings of a bundle of entries, one a line; undefined if the published checkpoint does not cover it. */
export async function readOpenings(store: Store, tile: Tile): Promise<string | undefined> {
  const range = await rangeOf(logStorage(store), tile)
  if (range === undefined) return undefined
  const entries = await readLeaves(store, range.from, range.to)
  // An empty line: the leaf has no opening, or it was deleted.
  return entries.map(({ opening }) => `${opening ?? ''}\n`).join('')
}

/**
 * Writes the leaves under a checkpoint as static files below `folder/log`, so that any web server can serve the log.
 * The checkpoint comes last. Writing them again gives the same files.
 * @throws Error if the store lacks one of them
 */
export async function writeLogFiles(store: Store, head: LogHead, folder: string): Promise<void> {
  const write = async (path: string, content: Uint8Array | string | undefined) => {
    if (content === undefined) throw new Error(`the store has no ${path}`)
    const file = join(folder, 'log', path)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await replaceFile(file, content)
  }
  for (const tile of listTiles(head.size)) {
    await write(tilePath(tile), await readTile(logStorage(store), tile))
    if (tile.level === 'entries')
      await write(tilePath(tile).replace('tile/entries', 'openings'), await readOpenings(store, tile))
  }
  await write('checkpoint', head.note)
}
