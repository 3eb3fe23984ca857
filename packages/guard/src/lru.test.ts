import { expect, test } from 'vitest'
import { createLru } from './lru.ts'

test('default: keeps the most recently used entries, up to its maximum', () => {
  const lru = createLru<number>(3)
  for (const [index, key] of ['a', 'b', 'c'].entries()) lru.set(key, index)
  expect(lru.get('a')).toBe(0)
  lru.set('d', 3)
  expect(['a', 'b', 'c', 'd'].map((key) => lru.get(key))).toEqual([0, undefined, 2, 3])
  lru.set('c', 9)
  lru.delete('d')
  expect(['a', 'c', 'd'].map((key) => lru.get(key))).toEqual([0, 9, undefined])
  for (let index = 0; index < 1000; index++) lru.set(String(index), index)
  expect(lru.get('a')).toBeUndefined()
  expect([996, 997, 998, 999].map((index) => lru.get(String(index)))).toEqual([undefined, 997, 998, 999])
})
