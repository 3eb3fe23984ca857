import { expect, test } from 'vitest'
import { createWaits } from './createWaits.ts'

test('default: a host waits until its time', () => {
  const waits = createWaits()
  waits.set('a.example', 10)
  expect([waits.has('a.example', 9), waits.has('a.example', 10), waits.has('b.example', 0)]).toEqual([
    true,
    false,
    false,
  ])
})

test('behavior: forgets the host that was set first beyond the maximum', () => {
  const waits = createWaits()
  for (const host of ['a', 'b', 'a']) waits.set(host, 10)
  for (let index = 0; index < 49_998; index++) waits.set(`${index}.example`, 10)
  expect(waits.has('b', 0)).toBe(true)
  waits.set('c', 10)
  expect(['a', 'b', 'c'].map((host) => waits.has(host, 0))).toEqual([true, false, true])
})
