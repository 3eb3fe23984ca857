import { describe, expect, test } from 'vitest'
import { toRow } from '../../publish/hostIndex.ts'
import { MOST_OF_DOMAIN, MOST_OF_HOST, readNewestAt, readState } from '../endpoints.ts'
import { readEndpointFacts } from '../facts.ts'
import { readHost, readHosts, readSummary } from '../hosts.ts'
import { readNextDue } from '../leases.ts'
import { readDays, readObservations } from '../observations.ts'
import type { Changed } from '../tx.ts'
import { aState } from './documents.ts'
import { aChange, aListing, anIncident, anObservation, NOON } from './records.ts'
import { type Home, useStore } from './useStore.ts'

const day = (date: string, up: number, endpoint = 'https://api.example/a') => ({
  endpoint,
  host: 'api.example',
  date,
  up,
  down: 0,
  notMeasured: 1,
  latencyMsP50: 40,
  latencyMsP90: null,
})

/** Tests how a store keeps documents. */
export function describeDocuments(name: string, createHome: () => Promise<Home>): void {
  describe(`${name} documents`, () => {
    const home = useStore(createHome)

    test('default: a document replaces the previous one, in its host and summary too', async () => {
      const { store } = home
      const a = aState()
      const b = aState({ endpoint: 'https://api.example/b', derivedAt: NOON + 1 })
      const later = aState({ derivedAt: NOON + 2, score: 70 })
      await store.write('putEndpoint', b)
      await store.write('putEndpoint', a)
      await store.write('putEndpoint', aState({ endpoint: 'https://other.example/' }))
      await store.write('putEndpoint', later)
      expect(await readState(store, 'https://api.example/a')).toEqual({ state: later })
      const updatedAt = NOON + 2
      expect(await readHost(store, 'api.example')).toEqual({
        host: 'api.example',
        endpoints: [later, b],
        updatedAt,
      })
      expect(await readSummary(store, 'api.example')).toEqual({
        host: 'api.example',
        endpoints: [toRow(later), toRow(b)],
        updatedAt: NOON + 2,
      })
      expect(await readNewestAt(store)).toBe(NOON + 2)
    })

    test('default: returns nothing of unknown endpoints and hosts', async () => {
      const { store } = home
      expect(await readState(store, 'https://api.example/a')).toBeUndefined()
      expect(await readHost(store, '__proto__')).toBeUndefined()
      expect(await readSummary(store, 'api.example')).toBeUndefined()
      expect(await readNewestAt(store)).toBeNull()
    })

    test('default: writes facts and ended days with the document', async () => {
      const { store } = home
      const change = { kind: 'change', id: 'f1', at: NOON, change: aChange() } as const
      const days = [day('2026-05-30', 7), day('2026-05-31', 8)]
      await store.write('putEndpoint', aState(), { facts: [anObservation(), aListing(), change], days })
      await store.write('putEndpoint', aState(), {
        facts: [],
        days: [day('2026-05-30', 9), day('2026-05-29', 1)],
      })
      expect(await readObservations(store, 'https://api.example/a')).toEqual([anObservation()])
      expect((await readEndpointFacts(store, 'https://api.example/a')).changes).toEqual([aChange()])
      expect(await readDays(store, 'https://api.example/a')).toEqual([
        day('2026-05-29', 1),
        day('2026-05-30', 9),
        day('2026-05-31', 8),
      ])
      expect(await readDays(store, 'https://api.example/b')).toEqual([])
    })

    test('behavior: parallel writes at one host all appear in its document and totals', async () => {
      const documents = Array.from({ length: 40 }, (_, index) =>
        aState({ endpoint: `https://api.example/${String(index).padStart(2, '0')}` }),
      )
      await Promise.all(documents.map((document) => home.store.write('putEndpoint', document)))
      expect((await readHost(home.store, 'api.example'))?.endpoints).toEqual(documents)
      const { endpoints, hosts } = await home.store.totals(NOON)
      expect(endpoints.map(({ status, count }) => [status, count])).toEqual([['live', 40]])
      expect(hosts).toEqual([{ verdict: 'safe', isWorking: true, count: 1 }])
    })

    test('default: notifies watchers of each document until they leave', async () => {
      const { store } = home
      const seen: (Changed | null)[] = []
      const leave = await store.watch((changed) => seen.push(changed))
      await store.write('append', [aListing()])
      await store.write('putEndpoint', aState())
      await store.write('putEndpoint', aState({ endpoint: 'https://other.example/' }))
      await expect
        .poll(() => seen)
        .toEqual([
          { host: 'api.example', endpoint: 'https://api.example/a', hasNews: false },
          { host: 'other.example', endpoint: 'https://other.example/', hasNews: false },
        ])
      const news = [
        { kind: 'change', id: 'f1', at: NOON, change: aChange() },
        { kind: 'incident', id: 'f2', at: NOON, incident: anIncident() },
      ] as const
      for (const fact of [...news, anObservation()])
        await store.write('putEndpoint', aState(), { facts: [fact], days: [] })
      await expect.poll(() => seen.slice(2).map((changed) => changed?.hasNews)).toEqual([true, true, false])
      await leave()
      await store.write('putEndpoint', aState())
      expect(seen).toHaveLength(5)
    })

    test('behavior: states, totals and due times survive reopening', async () => {
      await home.store.write('putEndpoint', aState(), { facts: [], days: [day('2026-05-31', 8)] })
      const store = await home.reopen()
      expect(await readState(store, 'https://api.example/a')).toEqual({ state: aState() })
      expect((await store.totals(NOON)).hosts).toHaveLength(1)
      expect(await readNextDue(store)).toBe(aState().nextProbeAt)
      expect(await readDays(store, 'https://api.example/a')).toEqual([day('2026-05-31', 8)])
    })

    test('behavior: what is dark and in no list is dropped, with all that hangs on it', async () => {
      const { store } = home
      const dark = { status: 'dark', score: 0, darkSince: NOON } as const
      const place = (path: string) => ({ endpoint: `https://api.example/${path}`, host: 'api.example' })
      await store.write('append', [aListing(place('listed')), aListing(place('gone'))])
      for (const path of ['listed', 'gone', 'never'])
        await store.write('putEndpoint', aState({ ...place(path), ...dark }), {
          facts: [anObservation(place(path))],
          days: [day('2026-06-01', 0, place(path).endpoint)],
        })
      await store.write('putEndpoint', aState({ endpoint: 'https://other.example/a' }))
      await store.write('noteListed', [place('listed').endpoint], NOON + 5)
      expect(await store.write('dropDead', NOON, NOON + 5)).toBe(0)
      expect(await store.write('dropDead', NOON + 1, NOON + 5)).toBe(2)
      expect(await store.write('dropDead', NOON + 1, NOON + 5)).toBe(0)
      expect((await readSummary(store, 'api.example'))?.endpoints).toHaveLength(1)
      expect(await readObservations(store, place('gone').endpoint)).toEqual([])
      expect(await store.write('dropDead', NOON + 1, NOON + 6)).toBe(1)
      expect(await readSummary(store, 'api.example')).toBeUndefined()
      expect(await readHosts(store, { order: 'names', limit: 9 }, NOON)).toEqual(['other.example'])
    })

    test('behavior: what an open incident is about is not dropped', async () => {
      const { store } = home
      const dark = { status: 'dark', score: 0, darkSince: NOON } as const
      await store.write('putEndpoint', aState(dark))
      const tell = (at: number, changes: object) =>
        store.write('append', [{ kind: 'incident', id: `f${at}`, at, incident: anIncident(changes) }])
      await tell(NOON, { endpoint: aState().endpoint })
      expect(await store.write('dropDead', NOON + 1, NOON + 5)).toBe(0)
      await tell(NOON + 1, { endpoint: aState().endpoint, status: 'resolved' })
      expect(await store.write('dropDead', NOON + 1, NOON + 5)).toBe(1)
    })

    test('behavior: a host, and a registrable domain, has so many endpoints for its listings and no more', async () => {
      const { store } = home
      const listings = (host: string, count: number) =>
        Array.from({ length: count }, (_, index) =>
          aListing({ id: `${host} ${index}`, endpoint: `https://${host}/${index}`, host }),
        )
      expect(await store.write('append', listings('api.example', MOST_OF_HOST + 3))).toBe(3)
      // Existing endpoints may still be listed again, and judged.
      expect(
        await store.write(
          'append',
          listings('api.example', 9).map((one) => ({ ...one, at: NOON + 1 })),
        ),
      ).toBe(0)
      await store.write('putEndpoint', aState({ endpoint: 'https://api.example/live' }))
      const hosts = Array.from({ length: 5 }, (_, index) => `h${index}.shop.com`)
      let leftOut = 0
      for (const host of hosts) leftOut += await store.write('append', listings(host, MOST_OF_HOST))
      expect(leftOut).toBe(5 * MOST_OF_HOST - MOST_OF_DOMAIN)
    })
  })
}
