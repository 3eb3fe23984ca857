import { describe, expect, test } from 'vitest'
import type { ExpiringDocument } from '../documents.ts'
import { readDocument, readDocuments } from '../documents.ts'
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
      const store = home.store
      expect(await readDocument(store, 'scan', 'a', NOON)).toBeUndefined()
      await store.write('putDocument', aScan(), NOON)
      expect(await readDocument(store, 'scan', 'a', NOON)).toEqual(aScan())
      expect(await readDocument(store, 'scan', 'a', NOON + 999)).toEqual(aScan())
      expect(await readDocument(store, 'scan', 'a', NOON + 1000)).toBeUndefined()
      expect(await readDocument(store, 'scan', 'b', NOON)).toBeUndefined()
      expect(await readDocument(store, 'other', 'a', NOON)).toBeUndefined()
    })

    test('behavior: a later document replaces the one of its kind and id, its expiry included', async () => {
      const store = home.store
      await store.write('putDocument', aScan(), NOON)
      await store.write('putDocument', aScan({ expiresAt: NOON + 9000, data: 2 }), NOON)
      await store.write('putDocument', aScan({ kind: 'other' }), NOON)
      // Would drop the first one at its own expiry.
      await store.write('putDocument', aScan({ id: 'b' }), NOON + 2000)
      expect(await readDocument(store, 'scan', 'a', NOON + 2000)).toMatchObject({ data: 2 })
    })

    test('behavior: hostile ids are kept apart from others, and a write drops what has expired', async () => {
      const store = home.store
      for (const id of ['a', 'b', 'x\u0000y', '\ud800']) await store.write('putDocument', aScan({ id }), NOON)
      expect(await listOf(readDocuments(store, 'scan', '', NOON))).toHaveLength(4)
      await store.write('putDocument', aScan({ id: 'c', expiresAt: NOON + 9000 }), NOON + 1000)
      expect(await listOf(readDocuments(store, 'scan', '', 0))).toEqual([
        aScan({ id: 'c', expiresAt: NOON + 9000 }),
      ])
    })

    test('behavior: the documents of a kind are listed by the start of their ids, without expired ones', async () => {
      const store = home.store
      const listed = async (prefix: string) =>
        (await listOf(readDocuments(store, 'scan', prefix, NOON + 500))).map(({ id }) => id)
      const ids = ['b.example/1', 'a.example/2', 'a.example/1', 'a.example:80/1', 'a_example/1', 'a.example']
      for (const id of ids) await store.write('putDocument', aScan({ id }), NOON)
      await store.write('putDocument', aScan({ id: 'a.example/3', expiresAt: NOON + 500 }), NOON)
      await store.write('putDocument', aScan({ kind: 'other', id: 'a.example/4' }), NOON)
      expect(await listed('a.example/')).toEqual(['a.example/1', 'a.example/2'])
      expect(await listed('')).toEqual([...ids].sort())
      expect(await listed('c')).toEqual([])
    })

    test('behavior: removes one document, its expiry included', async () => {
      const store = home.store
      await store.write('putDocument', aScan(), NOON)
      await store.write('putDocument', aScan({ id: 'b' }), NOON)
      expect(await store.write('removeDocument', 'scan', 'a')).toBe(true)
      expect(await store.write('removeDocument', 'scan', 'a')).toBe(false)
      expect(await readDocument(store, 'scan', 'a', NOON)).toBeUndefined()
      await store.write('putDocument', aScan({ expiresAt: NOON + 9000 }), NOON)
      // The expiry of the removed one would drop its successor.
      await store.write('putDocument', aScan({ id: 'c', expiresAt: NOON + 9000 }), NOON + 1000)
      expect(await listOf(readDocuments(store, 'scan', '', NOON + 1000))).toHaveLength(2)
    })

    test('behavior: documents survive a restart', async () => {
      await home.store.write('putDocument', aScan(), NOON)
      expect(await readDocument(await home.reopen(), 'scan', 'a', NOON)).toEqual(aScan())
    })
  })
}
