import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { TILE_WIDTH, type Tile, tilePath, tileWidth } from '@touchstone402/transparency'
import { replaceFile } from '../lib/durableFiles.ts'
import type { LogHead, LogStore } from '../ports/log.ts'
import { readOpenings, readTile } from './logFiles.ts'

/**
 * Writes the leaves under a checkpoint as static files below `folder/log`, so that any web server can serve the log.
 * The checkpoint comes last. Writing them again gives the same files.
 * @throws Error if the store lacks one of them
 */
export async function writeLogFiles(log: LogStore, head: LogHead, folder: string): Promise<void> {
  const write = async (path: string, content: Uint8Array | string | undefined) => {
    if (content === undefined) throw new Error(`the store has no ${path}`)
    const file = join(folder, 'log', path)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await replaceFile(file, content)
  }
  for (const level of levelsOf(head.size)) {
    for (let index = 0; tileWidth(level, index, head.size) > 0; index++) {
      const tile: Tile = { level, index, width: tileWidth(level, index, head.size) }
      await write(tilePath(tile), await readTile(log, tile))
      if (level === 'entries')
        await write(tilePath(tile).replace('tile/entries', 'openings'), await readOpenings(log, tile))
    }
  }
  await write('checkpoint', head.note)
}

function levelsOf(size: number): Tile['level'][] {
  const levels: Tile['level'][] = ['entries', 0]
  for (let rest = Math.floor(size / TILE_WIDTH); rest > 0; rest = Math.floor(rest / TILE_WIDTH))
    levels.push(levels.length - 1)
  return levels
}
