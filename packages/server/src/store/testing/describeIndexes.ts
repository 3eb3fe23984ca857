import { describe, expect, test } from 'vitest'
import { DAY } from '../../facts/times.ts'
import type { HostQuery } from '../hosts.ts'
import { countPaid, readHosts, searchPaid } from '../hosts.ts'
import { aState } from './documents.ts'
import { aReceiver, NOON } from './records.ts'
import { type Home, useStore } from './useStore.ts'

/** Tests totals, the orders of hosts and the search of a store. */
export function describeIndexes(name: string, createHome: () => Promise<Home>): void {
  describe(`${name} indexes`, () => {
    const home = useStore(createHome)
    const hosts = (query: Partial<HostQuery> = {}, now = NOON) =>
      readHosts(home.store, { order: 'best', limit: 99, ...query }, now)
    const working = (now: number) => hosts({ isWorking: true }, now)
    const put = (host: string, changes: Parameters<typeof aState>[0] = {}) =>
      home.store.write('putEndpoint', aState({ endpoint: `https://${host}/a`, ...changes }))
    const verdicts = async (now: number) => {
      // Totals are cached, so they are read from a reopened store.
      const { endpoints, hosts: counted } = await (await home.reopen()).totals(now)
      return [endpoints, counted].map((groups) =>
        Object.fromEntries(groups.map(({ verdict, count }) => [verdict, count])),
      )
    }

    test('default: totals count endpoints that are alike, hosts and receivers', async () => {
      const { store } = home
      await put('a.example')
      await put('b.example', { status: 'dark', score: 0, category: 'weather' })
      await put('c.example', { firstSeen: NOON - 9 })
      await store.write('append', [aReceiver(), aReceiver({ id: 'r2', at: NOON + 1 })])
      const totals = await store.totals(NOON)
      const alike = {
        verdict: 'safe',
        status: 'live',
        category: null,
        priceUsd: 0.001,
        stability: 'stable',
        receiverProfile: 'established',
        flags: [],
        listedBy: ['bazaar'],
        unhealthyIn: [],
        count: 2,
      }
      const other = { ...alike, verdict: 'avoid', status: 'dark', category: 'weather', count: 1 }
      expect(totals).toMatchObject({ at: NOON, firstSeen: NOON - 9, receivers: 1 })
      expect(totals.endpoints).toHaveLength(2)
      expect(totals.endpoints).toEqual(expect.arrayContaining([alike, other]))
      expect(totals.hosts).toEqual(
        expect.arrayContaining([
          { verdict: 'safe', isWorking: true, count: 2 },
          { verdict: 'avoid', isWorking: false, count: 1 },
        ]),
      )
      expect(totals.providers).toEqual(
        ['a', 'c'].map((host) => ({ host: `${host}.example`, live: 1, trustScore: 91 })),
      )
      expect(totals.healthy.map(({ endpoint }) => endpoint)).toEqual([
        'https://a.example/a',
        'https://c.example/a',
      ])
    })

    test('behavior: hosts that name a receiver are counted and found, whatever its case', async () => {
      await put('a.example', { payTo: '0xAb' })
      await put('a.example', { endpoint: 'https://a.example/b', payTo: '0xaB' })
      await put('b.example', { payTo: '0xab' })
      expect(await countPaid(home.store, 'eip155:8453', '0xAB')).toBe(2)
      expect(await countPaid(home.store, 'eip155:1', '0xAB')).toBe(0)
      const find = (networks: string[], limit: number) => searchPaid(home.store, networks, '0xAB', limit)
      const both = ['eip155:1', 'eip155:8453']
      expect(await find(both, 9)).toEqual({ hosts: ['a.example', 'b.example'], total: 2 })
      expect(await find(both, 1)).toEqual({ hosts: ['a.example'], total: 2 })
      expect(await find(['eip155:1'], 9)).toEqual({ hosts: [], total: 0 })
    })

    test('behavior: expired verdicts leave totals and orders, and come back with the next state', async () => {
      await put('a.example')
      await put('b.example', { derivedAt: NOON + DAY })
      expect(await working(NOON)).toEqual(['a.example', 'b.example'])
      const later = NOON + 2 * DAY
      expect(await verdicts(later)).toEqual([
        { safe: 1, unknown: 1 },
        { safe: 1, unknown: 1 },
      ])
      expect(await working(later)).toEqual(['b.example'])
      expect(await hosts({}, later)).toEqual(['b.example', 'a.example'])
      expect(await working(later + DAY)).toEqual([])
      await put('a.example', { derivedAt: later + DAY })
      expect(await working(later + DAY)).toEqual(['a.example'])
      expect(await verdicts(later + DAY)).toEqual([
        { safe: 1, unknown: 1 },
        { safe: 1, unknown: 1 },
      ])
    })

    test('behavior: a later probe puts the expiry off, which comes all the same', async () => {
      await put('a.example')
      await put('a.example', { derivedAt: NOON + DAY })
      await put('a.example', { derivedAt: NOON + DAY + 1 })
      expect(await working(NOON + 2 * DAY)).toEqual(['a.example'])
      expect(await working(NOON + 3 * DAY)).toEqual(['a.example'])
      expect(await working(NOON + 3 * DAY + 1)).toEqual([])
      expect(await verdicts(NOON + 3 * DAY + 1)).toEqual([{ unknown: 1 }, { unknown: 1 }])
    })

    test('default: lists hosts in each order', async () => {
      await put('b.example', { firstSeen: NOON - 9 })
      await put('a.example', { score: 85 })
      await put('c.example', { score: 20, firstSeen: NOON - 5 })
      expect(await hosts({ order: 'names' })).toEqual(['a.example', 'b.example', 'c.example'])
      expect(await hosts()).toEqual(['b.example', 'a.example', 'c.example'])
      expect(await hosts({ order: 'providers' })).toEqual(['b.example', 'a.example'])
      expect(await hosts({ order: 'age' })).toEqual(['b.example', 'c.example', 'a.example'])
      expect(await hosts({ verdict: 'avoid' })).toEqual(['c.example'])
      await put('b.example', { score: 81, firstSeen: NOON + 1 })
      expect(await hosts()).toEqual(['a.example', 'b.example', 'c.example'])
      expect(await hosts({ order: 'age' })).toEqual(['c.example', 'a.example', 'b.example'])
    })

    test('default: pages through an order', async () => {
      for (const host of ['a', 'b', 'ba', 'bb', 'c']) await put(`${host}.example`)
      expect(await hosts({ order: 'names', limit: 2 })).toEqual(['a.example', 'b.example'])
      expect(await hosts({ order: 'names', after: 'b.example', limit: 2 })).toEqual([
        'ba.example',
        'bb.example',
      ])
      expect(await hosts({ skip: 3, limit: 9 })).toEqual(['bb.example', 'c.example'])
      expect(await hosts({ order: 'names', after: 'x' })).toEqual([])
    })
  })
}
