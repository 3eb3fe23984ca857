import { describe, expect, test } from 'vitest'
import type { ExpiringDocument } from '../../ports/expiring.ts'
import { NOON } from './records.ts'
import { type Home, listOf, useStore } from './useStore.ts'

const aScan = (change: Partial<ExpiringDocument> = {}): ExpiringDocument => ({
  kind: 'scan',
  id: 'a',
  expiresAt: NOON + 1000,
  data: { note: 'nul \u0000, lone \ud800, "quoted"' },
  ...change,
})

/** Tests the documents with an expiry of a store. */
export function describeExpiring(name: string, createHome: () => Promise<Home>): void {
  describe(`${name}: documents with an expiry`, () => {
    const home = useStore(createHome)

    test('default: a document is read until it expires, by its kind and id', async () => {
      const { expiring } = home.store
      expect(await expiring.get('scan', 'a', NOON)).toBeUndefined()
      await expiring.put(aScan(), NOON)
      expect(await expiring.get('scan', 'a', NOON)).toEqual(aScan())
      expect(await expiring.get('scan', 'a', NOON + 999)).toEqual(aScan())
      expect(await expiring.get('scan', 'a', NOON + 1000)).toBeUndefined()
      expect(await expiring.get('scan', 'b', NOON)).toBeUndefined()
      expect(await expiring.get('other', 'a', NOON)).toBeUndefined()
    })

    test('behavior: a later document replaces the one of its kind and id, its expiry included', async () => {
      const { expiring } = home.store
      await expiring.put(aScan(), NOON)
      await expiring.put(aScan({ expiresAt: NOON + 9000, data: 2 }), NOON)
      await expiring.put(aScan({ kind: 'other' }), NOON)
      // Would drop the first one at its own expiry.
      await expiring.put(aScan({ id: 'b' }), NOON + 2000)
      expect(await expiring.get('scan', 'a', NOON + 2000)).toMatchObject({ data: 2 })
    })

    test('behavior: hostile ids are kept apart from others, and a write drops what has expired', async () => {
      const { expiring } = home.store
      for (const id of ['a', 'b', 'x\u0000y', '\ud800']) await expiring.put(aScan({ id }), NOON)
      expect(await listOf(expiring.list('scan', '', NOON))).toHaveLength(4)
      await expiring.put(aScan({ id: 'c', expiresAt: NOON + 9000 }), NOON + 1000)
      expect(await listOf(expiring.list('scan', '', 0))).toEqual([aScan({ id: 'c', expiresAt: NOON + 9000 })])
    })

    test('behavior: the documents of a kind are listed by the start of their ids, without expired ones', async () => {
      const { expiring } = home.store
      const listed = async (prefix: string) =>
        (await listOf(expiring.list('scan', prefix, NOON + 500))).map(({ id }) => id)
      const ids = ['b.example/1', 'a.example/2', 'a.example/1', 'a.example:80/1', 'a_example/1', 'a.example']
      for (const id of ids) await expiring.put(aScan({ id }), NOON)
      await expiring.put(aScan({ id: 'a.example/3', expiresAt: NOON + 500 }), NOON)
      await expiring.put(aScan({ kind: 'other', id: 'a.example/4' }), NOON)
      expect(await listed('a.example/')).toEqual(['a.example/1', 'a.example/2'])
      expect(await listed('')).toEqual([...ids].sort())
      expect(await listed('c')).toEqual([])
    })

    test('behavior: removes one document, its expiry included', async () => {
      const { expiring } = home.store
      await expiring.put(aScan(), NOON)
      await expiring.put(aScan({ id: 'b' }), NOON)
      expect(await expiring.remove('scan', 'a')).toBe(true)
      expect(await expiring.remove('scan', 'a')).toBe(false)
      expect(await expiring.get('scan', 'a', NOON)).toBeUndefined()
      await expiring.put(aScan({ expiresAt: NOON + 9000 }), NOON)
      // The expiry of the removed one would drop its successor.
      await expiring.put(aScan({ id: 'c', expiresAt: NOON + 9000 }), NOON + 1000)
      expect(await listOf(expiring.list('scan', '', NOON + 1000))).toHaveLength(2)
    })

    test('behavior: documents survive a restart', async () => {
      await home.store.expiring.put(aScan(), NOON)
      expect(await (await home.reopen()).expiring.get('scan', 'a', NOON)).toEqual(aScan())
    })
  })
}
