// Reads the rooms of the server, and which import which, from the import checker.
import { cruise, type ICruiseResult, type IModule } from 'dependency-cruiser'

const SERVER = 'packages/server/src'

/** Paths of tests and of what serves tests alone. */
export const TEST = /(\.test\.tsx?|\.test-d\.ts|\.testing\.ts)$|\/testing\/|\/testing\.ts$/

/** Files at the root of the server that start a room. Another file there is a room of its own. */
const STARTS: Readonly<Record<string, string>> = {
  'services.ts': 'services',
  'index.ts': 'services',
  'main.ts': 'commands',
}

/** The rooms that each room imports, types included, with the number of imports. */
export type Rooms = ReadonlyMap<string, ReadonlyMap<string, number>>

/** Asks the import checker for all imports of the server in the working folder. */
export async function readRooms(): Promise<Rooms> {
  const { output } = await cruise([SERVER], {
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '/dist/'] },
    exclude: { path: ['/dist/'] },
  })
  return countArrows((output as ICruiseResult).modules)
}

/** Counts the imports between rooms. Tests count for none. */
export function countArrows(modules: readonly Pick<IModule, 'source' | 'dependencies'>[]): Rooms {
  const rooms = new Map<string, Map<string, number>>()
  for (const { source, dependencies } of modules) {
    const from = roomOf(source)
    if (from === undefined) continue
    const imported = rooms.get(from) ?? new Map<string, number>()
    rooms.set(from, imported)
    for (const { resolved } of dependencies) {
      const to = roomOf(resolved)
      if (to !== undefined && to !== from) imported.set(to, (imported.get(to) ?? 0) + 1)
    }
  }
  return rooms
}

function roomOf(path: string): string | undefined {
  if (!path.startsWith(`${SERVER}/`) || TEST.test(path)) return undefined
  const [first = '', ...rest] = path.slice(SERVER.length + 1).split('/')
  return rest.length > 0 ? first : (STARTS[first] ?? first.replace(/\.tsx?$/, ''))
}

/** Returns the number of arrows: pairs of rooms of which one imports the other. */
export const arrowsOf = (rooms: Rooms) => [...rooms.values()].reduce((sum, to) => sum + to.size, 0)

/** Lists the rooms that import each other, directly or through others; each list is one circle. */
export function findCircles(rooms: Rooms): string[][] {
  const circles = new Map<string, string[]>()
  for (const room of rooms.keys()) {
    const circle = [...reachable(rooms, room)].filter((other) => reachable(rooms, other).has(room)).sort()
    if (circle.length > 0) circles.set(circle.join(), circle)
  }
  return [...circles.values()]
}

/** Returns the rooms that a room imports through any number of others. */
export function reachable(rooms: Rooms, room: string): ReadonlySet<string> {
  const found = new Set<string>()
  const waiting = [...(rooms.get(room)?.keys() ?? [])]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue
    found.add(next)
    waiting.push(...(rooms.get(next)?.keys() ?? []))
  }
  return found
}
