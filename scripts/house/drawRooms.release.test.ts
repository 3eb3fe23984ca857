import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../docs/shellLines.ts'
import { drawRooms, withPicture } from './drawRooms.ts'
import { arrowsOf, countArrows, findCircles, readRooms } from './readRooms.ts'

const file = (room: string, ...to: string[]) => ({
  source: `packages/server/src/${room}/a.ts`,
  dependencies: to.map((one) => ({ resolved: `packages/server/src/${one}` })),
})
const roomsOf = (...files: ReturnType<typeof file>[]) => countArrows(files as never)

test('default: docs/architecture.md has the picture that `scripts/house/drawRooms.ts` draws', async () => {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')
  const rooms = await readRooms()
  expect(rooms.size).toBeGreaterThan(15)
  expect(page).toBe(withPicture(page, rooms))
})

test('behavior: an arrow that others imply is counted and not drawn', () => {
  const rooms = roomsOf(file('http', 'store/b.ts', 'facts/c.ts'), file('store', 'facts/c.ts'), file('facts'))
  expect(arrowsOf(rooms)).toBe(3)
  expect(drawRooms(rooms)).toContain('flowchart TD\n  http --> store\n  store --> facts\n```')
})

test('behavior: tests are in no room, and files at the root start theirs', () => {
  const { dependencies } = file('', 'http/b.test.ts', 'http/testing/c.ts', 'http/d.ts')
  const rooms = countArrows([{ source: 'packages/server/src/services.ts', dependencies }] as never)
  expect([...rooms].map(([name, to]) => [name, ...to.keys()])).toEqual([['services', 'http']])
})

test('error: rooms that import each other have no picture', () => {
  const rooms = roomsOf(file('http', 'store/b.ts'), file('store', 'lib/c.ts'), file('lib', 'http/d.ts'))
  expect(findCircles(rooms)).toEqual([['http', 'lib', 'store']])
  expect(() => drawRooms(rooms)).toThrow('rooms import each other: http, lib, store')
})
