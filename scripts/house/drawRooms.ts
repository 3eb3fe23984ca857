// Draws the rooms of the server in docs/architecture.md: `node --import tsx scripts/house/drawRooms.ts`.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { replacePart } from '../report/tables.mjs'
import { arrowsOf, findCircles, type Rooms, reachable, readRooms } from './readRooms.ts'

const PAGE = fileURLToPath(new URL('../../docs/architecture.md', import.meta.url))

/**
 * Returns the picture of rooms as Mermaid, and what each imports. An arrow that others imply is not drawn.
 * @throws Error if rooms import each other: they have no order
 */
export function drawRooms(rooms: Rooms): string {
  const circles = findCircles(rooms)
  if (circles.length > 0)
    throw new Error(`rooms import each other: ${circles.map((one) => one.join(', ')).join('; ')}`)
  const names = [...rooms.keys()].sort()
  const drawn = names.flatMap((from) =>
    nearest(rooms, from)
      .sort()
      .map((to) => `  ${from} --> ${to}`),
  )
  return [
    '```mermaid',
    'flowchart TD',
    ...drawn,
    '```',
    '',
    `${rooms.size} rooms and ${arrowsOf(rooms)} arrows, types included; ${drawn.length} are drawn, the others follow from them.`,
    '',
    '| room | imports |',
    '| --- | --- |',
    ...names.map((name) => `| ${name} | ${[...(rooms.get(name)?.keys() ?? [])].sort().join(', ')} |`),
  ].join('\n')
}

/** Lists the rooms that a room imports and that no other of its imports leads to. */
function nearest(rooms: Rooms, from: string): string[] {
  const imported = [...(rooms.get(from)?.keys() ?? [])]
  return imported.filter((to) => !imported.some((other) => other !== to && reachable(rooms, other).has(to)))
}

/** Returns the page with the picture of rooms. */
export const withPicture = (page: string, rooms: Rooms) => replacePart(page, 'rooms', drawRooms(rooms))

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(PAGE, withPicture(readFileSync(PAGE, 'utf8'), await readRooms()))
