import { expect, test } from 'vitest'
import { readTogether } from './readTogether.ts'

/** A read that notes what it is asked for, and finds all keys but `none`. */
function setUp() {
  const asked: (readonly string[])[] = []
  const read = readTogether(async (keys) => {
    asked.push(keys)
    if (keys.includes('broken')) throw new Error('no answer')
    return new Map(keys.filter((key) => key !== 'none').map((key) => [key, `the ${key}`]))
  })
  return { asked, read }
}

test('default: what is asked for in one turn is read at once, each key once', async () => {
  const { asked, read } = setUp()
  expect(await Promise.all(['a', 'b', 'none', 'a'].map(read))).toEqual(['the a', 'the b', undefined, 'the a'])
  expect(asked).toEqual([['a', 'b', 'none']])
})

test('behavior: a key is read again in a later turn', async () => {
  const { asked, read } = setUp()
  await read('a')
  await read('a')
  expect(asked).toEqual([['a'], ['a']])
})

test('error: a read that rejects does so for its callers alone', async () => {
  const { read } = setUp()
  const both = await Promise.allSettled([read('broken'), read('a')])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await read('a')).toBe('the a')
})
