import { describe, expect, test } from 'vitest'
import { LeaseLostError } from '../../facts/storeError.ts'
import { HOUR } from '../../facts/times.ts'
import { readState } from '../endpoints.ts'
import { countDue, readDue, readNextDue } from '../leases.ts'
import { readObservations } from '../observations.ts'
import type { Store } from '../store.ts'
import { aState } from './documents.ts'
import { aListing, anObservation, NOON } from './records.ts'
import { type Home, useStore } from './useStore.ts'

/** Tests due work and leases of a store. */
export function describeDue(name: string, createHome: () => Promise<Home>): void {
  describe(`${name} due work`, () => {
    const home = useStore(createHome)
    const host = (index: number) => `h${index}.example`
    const endpoint = (index: number, path = 'a') => `https://${host(index)}/${path}`
    const listed = (index: number, at: number, path = 'a') =>
      aListing({ id: `l${index}${path}`, endpoint: endpoint(index, path), host: host(index), at })
    const take = async (store: Store, now: number, most = 9, more = {}) =>
      (await store.write('takeHosts', now, { most, mostPerDomain: most, busy: new Map(), ...more })).map(
        ({ name: taken }) => taken,
      )

    test('default: takes the hosts that have waited longest, each once', async () => {
      const { store } = home
      await store.write('append', [
        listed(2, NOON + 2),
        listed(1, NOON + 1),
        listed(3, NOON + 3),
        listed(4, NOON + 9),
      ])
      expect(await readNextDue(store)).toBe(NOON + 1)
      expect(await countDue(store, NOON + 3)).toBe(3)
      expect(await take(store, NOON + 3, 2)).toEqual([host(1), host(2)])
      expect(await readNextDue(store)).toBe(NOON + 3)
      expect(await take(store, NOON + 3)).toEqual([host(3)])
      expect(await take(store, NOON + 3)).toEqual([])
      expect(await readNextDue(store)).toBe(NOON + 9)
      expect(await readDue(store, host(1), NOON + 3, 9)).toEqual([endpoint(1)])
    })

    test('default: nothing is due in an empty store', async () => {
      const { store } = home
      expect([await readNextDue(store), await countDue(store, NOON), await take(store, NOON)]).toEqual([
        null,
        0,
        [],
      ])
      expect(await store.write('takeDocuments', NOON, NOON + HOUR, 9)).toEqual([])
    })

    test('behavior: a state sets when its endpoint is due, and a listing does not change it', async () => {
      const { store } = home
      await store.write('append', [listed(1, NOON), listed(1, NOON - HOUR)])
      expect(await readNextDue(store)).toBe(NOON)
      const nextProbeAt = NOON + 3 * HOUR
      await store.write('putEndpoint', aState({ endpoint: endpoint(1), nextProbeAt }))
      expect(await readNextDue(store)).toBe(nextProbeAt)
      await store.write('append', [listed(1, NOON + 1)])
      expect(await readNextDue(store)).toBe(nextProbeAt)
      await store.write('postpone', endpoint(1), NOON + 9 * HOUR)
      expect(await countDue(store, nextProbeAt)).toBe(0)
      await store.write('putFirst', host(1), [endpoint(1)], NOON + 1)
      expect(await countDue(store, NOON + 1)).toBe(1)
      expect(await readNextDue(store)).toBe(NOON)
    })

    test('behavior: a host that is put first goes before all that wait, and counts as waiting no longer than they', async () => {
      const { store } = home
      await store.write('append', [listed(1, NOON - HOUR), listed(2, NOON), listed(3, NOON + HOUR)])
      await store.write('putFirst', host(3), [endpoint(3)], NOON)
      expect(await readNextDue(store)).toBe(NOON - HOUR - 1)
      expect(await take(store, NOON)).toEqual([host(3), host(1), host(2)])
    })

    test('behavior: a host with more due endpoints goes behind all that wait', async () => {
      const { store } = home
      await store.write('append', [
        listed(1, NOON),
        listed(1, NOON, 'b'),
        listed(2, NOON + 1),
        listed(3, NOON + 2),
      ])
      const [lease] = await store.write('takeHosts', NOON + 5, { most: 1, mostPerDomain: 1, busy: new Map() })
      if (lease === undefined) throw new Error('nothing was taken')
      const state = aState({ endpoint: endpoint(1), derivedAt: NOON + 5 })
      await store.write('putEndpoint', state, { facts: [], days: [], lease })
      await store.write('releaseLease', lease, NOON + 5)
      expect(await take(store, NOON + 6, 2)).toEqual([host(2), host(3)])
      expect(await take(store, NOON + 6)).toEqual([host(1)])
      expect(await readDue(store, host(1), NOON + 6, 9)).toEqual([endpoint(1, 'b')])
    })

    test('behavior: not more hosts of one registrable domain are taken than may be worked on', async () => {
      const { store } = home
      const of = (name: string, at: number) =>
        aListing({ id: name, endpoint: `https://${name}/`, host: name, at })
      const many = Array.from({ length: 40 }, (_, index) => of(`s${index}.shop.com`, NOON + index))
      await store.write('append', [...many, of('honest.com', NOON + 99)])
      expect(await take(store, NOON + 99, 3, { mostPerDomain: 2 })).toEqual([
        's0.shop.com',
        's1.shop.com',
        'honest.com',
      ])
      const busy = new Map([['shop.com', 2]])
      expect(await take(store, NOON + 99, 3, { mostPerDomain: 2, busy })).toEqual([])
    })

    test('behavior: of parallel takers each host goes to one', async () => {
      const { store } = home
      await store.write(
        'append',
        Array.from({ length: 30 }, (_, index) => listed(index, NOON)),
      )
      const taken = (await Promise.all(Array.from({ length: 12 }, () => take(store, NOON, 4)))).flat()
      expect(new Set(taken).size).toBe(taken.length)
      const rest = await take(store, NOON, 99)
      expect(new Set([...taken, ...rest]).size).toBe(30)
      expect(await take(store, NOON, 99)).toEqual([])
    })

    test('behavior: a lease is held by one, ends when it is given back, and guards what is written', async () => {
      const { store } = home
      const lease = await store.write('takeLease', 'api.example')
      if (lease === null) throw new Error('the lease is free')
      expect(await store.write('takeLease', 'api.example')).toBeNull()
      expect(await store.write('renewLease', lease)).toBe(true)
      const found = { facts: [anObservation()], days: [] }
      await store.write('putEndpoint', aState(), { ...found, lease })
      const other = { ...lease, token: 'other' }
      expect(await store.write('renewLease', other)).toBe(false)
      await store.write('releaseLease', other, NOON)
      expect(await store.write('takeLease', 'api.example')).toBeNull()
      await store.write('releaseLease', lease, NOON)
      expect(await store.write('takeLease', 'api.example')).not.toBeNull()
      const late = store.write('putEndpoint', aState({ score: 1 }), { ...found, lease })
      await expect(late).rejects.toThrow(LeaseLostError)
      expect(await readObservations(store, aState().endpoint)).toHaveLength(1)
      expect(await readState(store, aState().endpoint)).toEqual({ state: aState() })
    })

    test('behavior: the documents of a host are due with its first state, once', async () => {
      const { store } = home
      await store.write('putEndpoint', aState({ endpoint: endpoint(1) }))
      expect(await store.write('takeDocuments', NOON, NOON + HOUR, 9)).toEqual([host(1)])
      await store.write('putEndpoint', aState({ endpoint: endpoint(1), derivedAt: NOON + 1 }))
      await store.write('putEndpoint', aState({ endpoint: endpoint(1, 'b'), derivedAt: NOON + 1 }))
      expect(await store.write('takeDocuments', NOON + 1, NOON + HOUR, 9)).toEqual([])
      expect(await store.write('takeDocuments', NOON + HOUR, NOON + 2 * HOUR, 9)).toEqual([host(1)])
    })

    test('behavior: documents that could not be read are due at a time of their own', async () => {
      const { store } = home
      await store.write('putEndpoint', aState({ endpoint: endpoint(1) }))
      await store.write('putEndpoint', aState({ endpoint: endpoint(2) }))
      expect(await store.write('takeDocuments', NOON, NOON + 24 * HOUR, 9)).toEqual([host(1), host(2)])
      await store.write('postponeDocuments', host(2), NOON + HOUR)
      await store.write('postponeDocuments', 'unknown.example', NOON + HOUR)
      expect(await store.write('takeDocuments', NOON + HOUR - 1, NOON + 24 * HOUR, 9)).toEqual([])
      expect(await store.write('takeDocuments', NOON + HOUR, NOON + 24 * HOUR, 9)).toEqual([host(2)])
    })
  })
}
