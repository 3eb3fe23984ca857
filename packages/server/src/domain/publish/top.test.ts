import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTop } from './top.ts'

test('default: finds the same items as a full sort', () => {
  const item = fc.record({ rank: fc.integer({ min: 0, max: 5 }), name: fc.string() })
  fc.assert(
    fc.property(fc.array(item, { maxLength: 40 }), fc.integer({ min: 0, max: 8 }), (items, size) => {
      const top = createTop<(typeof items)[number]>(size, (a, b) => b.rank - a.rank)
      for (const one of items) top.add(one)
      expect(top.list()).toEqual([...items].sort((a, b) => b.rank - a.rank).slice(0, size))
    }),
  )
})
