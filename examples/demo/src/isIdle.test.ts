import { expect, test } from 'vitest'
import { isIdle, type Progress } from './isIdle.ts'

const IDLE: Progress = {
  due: 0,
  round: null,
  discoveries: 4,
  directories: { read: 3, failed: 0, reading: 0 },
}

test('default: a crawl is idle between two rounds, with every directory read', () => {
  expect(isIdle(IDLE)).toBe(true)
})

test.each<[string, Partial<Progress>]>([
  ['an endpoint is due', { due: 1 }],
  ['a round goes on', { round: { startedAt: 0, probed: 20, total: 21 } }],
  ['no directory was read', { discoveries: 0 }],
  ['a directory is being read', { directories: { read: 2, failed: 0, reading: 1 } }],
])('behavior: a crawl is not idle while %s', (_, change) => {
  expect(isIdle({ ...IDLE, ...change })).toBe(false)
})
