import { expect, test } from 'vitest'
import { createIdleConnections } from './idleConnections.ts'

test('default: picks the oldest connection of the holder that has the most', () => {
  const idle = createIdleConnections<number>(4)
  const added = [1, 2, 3].map((one) => idle.add(one, 'greedy'))
  expect([...added, idle.add(10, 'modest'), idle.add(4, 'greedy'), idle.add(11, 'modest')]).toEqual([
    ...[undefined, undefined, undefined],
    ...[undefined, 1, 2],
  ])
})

test('behavior: a connection that closed, or that a call uses, does not count', () => {
  const idle = createIdleConnections<number>(2)
  idle.add(1, '')
  idle.add(2, '')
  idle.remove(1)
  expect(idle.add(3, '')).toBeUndefined()
  // It has served a call, and is the newest again.
  idle.remove(2)
  idle.add(2, 'task')
  expect(idle.add(4, '')).toBe(3)
})
