import { describe, expect, test } from 'vitest'
import { DAY } from '../../../domain/facts/times.ts'
import { countName, type RankedIndex } from '../../../domain/publish/hostIndex.ts'
import { aDocument } from './documents.ts'
import { NOON } from './records.ts'
import { type Home, listOf, useStore } from './useStore.ts'

/** Tests totals, ranked indexes and the search of a store. */
export function describeIndexes(name: string, createHome: () => Promise<Home>): void {
  describe(`${name} indexes`, () => {
    const home = useStore(createHome)
    const hosts = async (
      index: RankedIndex,
      now = NOON,
      options?: { prefix?: string; after?: string; limit?: number },
    ) => (await listOf(home.store.ranked(index, now, options))).map((key) => key.split('\t').at(-1))
    const put = (host: string, changes: Parameters<typeof aDocument>[0] = {}) =>
      home.store.putEndpoint(aDocument({ endpoint: `https://${host}/a`, ...changes }))

    test('default: totals follow each document', async () => {
      const { store } = home
      await put('a.example')
      await put('b.example', { status: 'dark', verdict: 'avoid', score: 20 })
      expect(await store.counts('status/', NOON)).toEqual(
        new Map([
          ['status/live', 1],
          ['status/dark', 1],
        ]),
      )
      await put('b.example', { listedBy: ['bazaar', 'a / "b" %'] })
      expect(await store.counts('status/', NOON)).toEqual(new Map([['status/live', 2]]))
      expect(await store.count('status/live')).toBe(2)
      expect(await store.count('status/dark')).toBe(0)
      expect(await store.count(countName('directory', 'a / "b" %', 'listed'))).toBe(1)
      expect((await store.counts('', NOON)).get('hosts/verdict/safe')).toBe(2)
      expect(await store.counts('never', NOON)).toEqual(new Map())
    })

    test('behavior: a total counts as its name says and no other', async () => {
      await put('a.example', { network: '__proto__', payTo: 'constructor' })
      expect(await home.store.count('__proto__')).toBe(0)
      expect(await home.store.count('hosts')).toBe(0)
      expect([...(await home.store.counts('payee/', NOON)).values()]).toEqual([1])
    })

    test('behavior: expired verdicts leave totals and ranks, and come back with the next document', async () => {
      const { store } = home
      await put('a.example')
      await put('b.example', { derivedAt: NOON + DAY })
      expect(await hosts('working')).toEqual(['a.example', 'b.example'])
      const later = NOON + 2 * DAY
      expect(await store.counts('verdict/', later)).toEqual(
        new Map([
          ['verdict/safe', 1],
          ['verdict/unknown', 1],
        ]),
      )
      expect(await hosts('working', later)).toEqual(['b.example'])
      expect(await hosts('services', later)).toEqual(['b.example', 'a.example'])
      expect(await hosts('working', later + DAY)).toEqual([])
      await put('a.example', { derivedAt: later + DAY })
      expect(await hosts('working', later + DAY)).toEqual(['a.example'])
      expect(await store.counts('hosts/', later + DAY)).toEqual(
        new Map([
          ['hosts/all', 2],
          ['hosts/verdict/safe', 1],
          ['hosts/verdict/unknown', 1],
          ['hosts/working', 1],
        ]),
      )
    })

    test('behavior: a later look puts the expiry off, which comes all the same', async () => {
      await put('a.example')
      await put('a.example', { derivedAt: NOON + DAY })
      await put('a.example', { derivedAt: NOON + DAY + 1 })
      expect(await hosts('working', NOON + 2 * DAY)).toEqual(['a.example'])
      expect(await hosts('working', NOON + 3 * DAY)).toEqual(['a.example'])
      expect(await hosts('working', NOON + 3 * DAY + 1)).toEqual([])
      expect(await home.store.counts('verdict/', NOON + 3 * DAY + 1)).toEqual(
        new Map([['verdict/unknown', 1]]),
      )
      await put('a.example', { derivedAt: NOON + 4 * DAY })
      expect(await hosts('working', NOON + 4 * DAY)).toEqual(['a.example'])
    })

    test('default: lists hosts in the order of each index', async () => {
      await put('b.example', { firstSeen: NOON - 9 })
      await put('a.example', { score: 85 })
      await put('c.example', { score: 20, verdict: 'avoid', firstSeen: NOON - 5 })
      expect(await hosts('names')).toEqual(['a.example', 'b.example', 'c.example'])
      expect(await hosts('services')).toEqual(['b.example', 'a.example', 'c.example'])
      expect(await hosts('providers')).toEqual(['b.example', 'a.example'])
      expect(await hosts('age')).toEqual(['b.example', 'c.example', 'a.example'])
      expect(await hosts('healthy')).toEqual(['https://b.example/a', 'https://a.example/a'])
      await put('b.example', { score: 81, firstSeen: NOON + 1 })
      expect(await hosts('services')).toEqual(['a.example', 'b.example', 'c.example'])
      expect(await hosts('age')).toEqual(['c.example', 'a.example', 'b.example'])
    })

    test('default: pages through an index and selects by prefix', async () => {
      for (const host of ['a', 'b', 'ba', 'bb', 'c']) await put(`${host}.example`)
      const { store } = home
      const first = await listOf(store.ranked('names', NOON, { limit: 2 }))
      expect(first).toEqual(['a.example', 'b.example'])
      const rest = await listOf(store.ranked('names', NOON, { after: 'b.example', limit: 2 }))
      expect(rest).toEqual(['ba.example', 'bb.example'])
      expect(await hosts('names', NOON, { prefix: 'b' })).toEqual(['b.example', 'ba.example', 'bb.example'])
      expect(await hosts('names', NOON, { prefix: 'b', after: 'ba.example' })).toEqual(['bb.example'])
      expect(await hosts('names', NOON, { after: 'x' })).toEqual([])
      expect(await hosts('names', NOON, { prefix: 'x' })).toEqual([])
    })

    test('default: finds hosts by a part of their names', async () => {
      for (const host of ['x.shop.example', 'a.example', 'shop.a_b.example']) await put(host)
      const { store } = home
      expect(await store.searchHosts('shop', 9)).toEqual({
        hosts: ['shop.a_b.example', 'x.shop.example'],
        total: 2,
      })
      expect(await store.searchHosts('shop', 1)).toEqual({ hosts: ['shop.a_b.example'], total: 2 })
      // Neither `_` nor `%` stands for anything else.
      expect(await store.searchHosts('a_', 9)).toMatchObject({ total: 1 })
      expect(await store.searchHosts('%', 9)).toEqual({ hosts: [], total: 0 })
    })
  })
}
