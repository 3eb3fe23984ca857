import { describe, expect, test } from 'vitest'
import { StoreUnavailableError } from '../../facts/storeError.ts'
import { listAudits, readDocuments } from '../documents.ts'
import { readNewestAt, readState } from '../endpoints.ts'
import {
  readEndpointFacts,
  readHostFacts,
  readListings,
  readPurchases,
  readReceiverRecords,
  readReports,
} from '../facts.ts'
import { readIncidents } from '../feeds.ts'
import { countPaid } from '../hosts.ts'
import { readCited, readDays, readObservations } from '../observations.ts'
import { aState } from './documents.ts'
import {
  aChange,
  aListing,
  anAnnouncement,
  anIncident,
  anObservation,
  aPurchase,
  aReceiver,
  aReport,
  NOON,
} from './records.ts'
import { type Home, listOf, useStore } from './useStore.ts'

const ENDPOINT = 'https://api.example/a'
const HOSTILE = 'line\nbreak \u2028 "quotes" \\ \u0000 \u0001 \ud83d\ude00 \ud800 </script> __proto__'

/** Tests how a store keeps facts. */
export function describeFacts(name: string, createHome: () => Promise<Home>): void {
  describe(`${name} facts`, () => {
    const home = useStore(createHome)

    test('default: returns the records of an endpoint and of its host, oldest first', async () => {
      const { store } = home
      const young = aListing({ id: 'l2', at: NOON + 5 })
      await store.write('append', [young, anAnnouncement()])
      await store.write('append', [
        aListing(),
        aPurchase(),
        { kind: 'change', id: 'f1', at: NOON, change: aChange() },
        { kind: 'incident', id: 'f2', at: NOON, incident: anIncident() },
        aListing({ endpoint: 'https://api.example/other' }),
        aListing({ endpoint: 'https://other.example/', host: 'other.example' }),
      ])
      expect(await readEndpointFacts(store, ENDPOINT)).toEqual({
        listings: [aListing(), young],
        purchases: [aPurchase()],
        changes: [aChange()],
        incidents: [anIncident()],
      })
      expect(await readHostFacts(store, 'api.example')).toEqual({
        announcements: [anAnnouncement()],
        control: undefined,
      })
      expect(await readPurchases(store, 'api.example')).toEqual([aPurchase()])
    })

    test('default: returns nothing of unknown keys', async () => {
      const { store } = home
      const nothing = { listings: [], purchases: [], changes: [], incidents: [] }
      expect(await readEndpointFacts(store, ENDPOINT)).toEqual(nothing)
      expect(await readHostFacts(store, 'never.example')).toEqual({ announcements: [], control: undefined })
      expect(await readPurchases(store, 'never.example')).toEqual([])
      expect(await readObservations(store, ENDPOINT)).toEqual([])
      expect(await readCited(store, ENDPOINT, ['o1'])).toEqual([])
      expect(await readDays(store, ENDPOINT)).toEqual([])
      expect(await readListings(store, [ENDPOINT])).toEqual(new Map())
      expect(await readReports(store)).toEqual([])
    })

    test('default: returns the newest listing of each directory of several endpoints', async () => {
      const other = aListing({ id: 'l3', endpoint: 'https://other.example/', host: 'other.example' })
      const elsewhere = aListing({ id: 'l4', directory: 'other' })
      await home.store.write('append', [aListing({ id: 'l2', at: NOON + 1 }), aListing(), elsewhere, other])
      const found = await readListings(home.store, [ENDPOINT, other.endpoint, 'https://never.example/'])
      expect(found).toEqual(
        new Map([
          [ENDPOINT, [aListing({ id: 'l2', at: NOON + 1 }), elsewhere]],
          [other.endpoint, [other]],
        ]),
      )
    })

    test('default: returns probes equal to what was written, oldest first and in the order of writing', async () => {
      const { store } = home
      const observations = [
        anObservation({ id: 'o1' }),
        anObservation({ id: 'obs_AbCdEf012_-z', client: 'wallet', latencyMs: 7 }),
        anObservation({ id: 'o3', outcome: 'down', cause: 'timeout', latencyMs: null, httpStatus: null }),
        anObservation({ id: 'o4', at: NOON + 1, problems: [HOSTILE], client: '__proto__' }),
        anObservation({ id: 'o5', at: NOON + 2, resourceAsked: { at: NOON, leadsHere: true } }),
        anObservation({ id: 'o6', at: NOON + 3, latencyMs: 1.5, reread: true, request: 'req_1' }),
        anObservation({ id: 'o7', at: NOON + 4, delivered: true, offersSignedBy: 'jwk:x' }),
        anObservation({ id: 'o8', at: NOON + 5, gapMs: 10_800_000 }),
        anObservation({ id: 'o9', at: NOON + 6, gapMs: 0 }),
      ]
      await store.write('append', observations.slice(0, 2))
      await store.write('append', [
        ...observations.slice(2),
        anObservation({ endpoint: 'https://api.example/b' }),
      ])
      expect(await readObservations(store, ENDPOINT)).toStrictEqual(observations)
      const early = anObservation({ id: 'o0', at: NOON - 1 })
      await store.write('append', [early])
      expect(await readObservations(store, ENDPOINT)).toStrictEqual([early, ...observations])
    })

    test('default: selects probes by time, both ends inclusive, and by id', async () => {
      const { store } = home
      const observations = [0, 1, 2, 3].map((index) => anObservation({ id: `o${index}`, at: NOON + index }))
      await store.write('append', observations)
      expect(await readObservations(store, ENDPOINT, { from: NOON + 1, to: NOON + 2 })).toEqual(
        observations.slice(1, 3),
      )
      expect(await readObservations(store, ENDPOINT, { to: NOON })).toEqual(observations.slice(0, 1))
      expect(await readObservations(store, ENDPOINT, { from: NOON + 4 })).toEqual([])
      expect(await readCited(store, ENDPOINT, ['o2', 'never', 'o1'])).toEqual(observations.slice(1, 3))
      expect(await readCited(store, 'https://api.example/b', ['o2'])).toEqual([])
    })

    test('behavior: live checks have a limit of their own and displace no other probe', async () => {
      const { store } = home
      const scheduled = [0, 1, 2].map((index) =>
        // As text of a seller, the mark of a live check is none.
        anObservation({ id: `s${index}`, at: NOON + index, problems: ['"purpose":"live"'] }),
      )
      const live = [0, 1, 2, 3, 4].map((index) =>
        anObservation({ id: `l${index}`, at: NOON + 1, purpose: 'live' }),
      )
      await store.write('append', [...scheduled, ...live])
      const idsOf = async (range: { newest: number; newestLive?: number }) =>
        (await readObservations(store, ENDPOINT, range)).map(({ id }) => id)
      expect(await idsOf({ newest: 2, newestLive: 3 })).toEqual(['s1', 'l2', 'l3', 'l4', 's2'])
      expect(await idsOf({ newest: 9, newestLive: 0 })).toEqual(['s0', 's1', 's2'])
      expect(await idsOf({ newest: 2 })).toEqual(['l4', 's2'])
    })

    test('default: returns the newest control probe of a host', async () => {
      const control = (at: number) =>
        anObservation({
          id: `c${at}`,
          at,
          purpose: 'control',
          endpoint: `https://api.example/no-such-path_${at}`,
        })
      await home.store.write('append', [control(NOON + 2), anObservation({ at: NOON + 9 })])
      await home.store.write('append', [control(NOON + 1)])
      expect((await readHostFacts(home.store, 'api.example')).control).toEqual(control(NOON + 2))
      expect((await readHostFacts(home.store, 'other.example')).control).toBeUndefined()
    })

    test('default: returns the first, the newest answered and the newest record of a receiver', async () => {
      const { store } = home
      const contract = '0xoracle'
      const answered = { sanctions: { contract, isListed: false } }
      const silent = { sanctions: { contract, isListed: null } }
      const records = [
        aReceiver({ id: 'r0', at: NOON }),
        aReceiver({ id: 'r1', at: NOON + 1, ...answered }),
        aReceiver({ id: 'r2', at: NOON + 2, ...answered }),
        aReceiver({ id: 'r3', at: NOON + 3, ...silent }),
        aReceiver({ id: 'r4', at: NOON + 4 }),
      ]
      await store.write('append', records.toReversed())
      const { network, address } = aReceiver()
      const ids = async (until?: number) =>
        (await readReceiverRecords(store, network, address.toUpperCase(), until)).map(({ id }) => id)
      expect(await ids()).toEqual(['r0', 'r2', 'r4'])
      expect(await ids(NOON + 1)).toEqual(['r0', 'r1'])
      expect(await ids(NOON)).toEqual(['r0'])
      expect(await ids(NOON - 1)).toEqual([])
      expect(await readReceiverRecords(store, network, '0xunknown')).toEqual([])
      expect(await readReceiverRecords(store, network, address)).toContainEqual(records[2])
    })

    test('default: returns the latest report of each day, oldest first', async () => {
      const put = (id: string, at: number, report: Parameters<typeof aReport>[0]) =>
        home.store.write('append', [{ kind: 'report', id, at, report: aReport(report) }])
      await put('p3', NOON + 86_400_000, { date: '2026-06-02', tracked: 3 })
      await put('p2', NOON + 1, { tracked: 2 })
      await put('p1', NOON, { tracked: 1 })
      const reports = await readReports(home.store)
      expect(reports.map(({ date, tracked }) => [date, tracked])).toEqual([
        ['2026-06-01', 2],
        ['2026-06-02', 3],
      ])
    })

    test('behavior: returns hostile text of sellers unchanged', async () => {
      const { store } = home
      const listing = aListing({ title: HOSTILE, url: HOSTILE, directory: HOSTILE, category: HOSTILE })
      await store.write('append', [listing])
      expect((await readEndpointFacts(store, listing.endpoint)).listings).toEqual([listing])
      const state = aState({ category: HOSTILE, network: HOSTILE, payTo: HOSTILE, listedBy: [HOSTILE] })
      await store.write('putEndpoint', state)
      expect(await readState(store, state.endpoint)).toEqual({ state })
      expect((await store.totals(NOON)).endpoints[0]?.listedBy).toEqual([HOSTILE])
      expect(await countPaid(store, HOSTILE, HOSTILE)).toBe(1)
    })

    test('behavior: a later write does not change returned records', async () => {
      await home.store.write('append', [aListing()])
      const before = await readEndpointFacts(home.store, ENDPOINT)
      await home.store.write('append', [aListing({ id: 'l2', at: NOON + 1 })])
      expect(before.listings).toEqual([aListing()])
    })

    test('behavior: parallel writes of one endpoint are all kept', async () => {
      const observations = Array.from({ length: 60 }, (_, index) => anObservation({ id: `o${index}` }))
      await Promise.all(observations.map((observation) => home.store.write('append', [observation])))
      const ids = (await readObservations(home.store, ENDPOINT)).map(({ id }) => id)
      expect(ids.sort()).toEqual(observations.map(({ id }) => id).sort())
    })

    test('error: a closed store refuses writes', async () => {
      const { store } = home
      await store.close()
      await expect(store.write('append', [anObservation()])).rejects.toThrow(StoreUnavailableError)
      await expect(store.write('putEndpoint', aState())).rejects.toThrow(StoreUnavailableError)
      await expect(store.write('takeLease', 'api.example')).rejects.toThrow(StoreUnavailableError)
      await store.close()
    })

    test('error: a closed store refuses reads, lists and sizes included', async () => {
      const { store } = home
      await store.close()
      const reads = [
        readState(store, ENDPOINT),
        listOf(readDocuments(store, 'scan', '', NOON)),
        listOf(listAudits(store)),
        readNewestAt(store),
        store.diskBytes(),
        store.totals(NOON),
      ]
      for (const result of await Promise.allSettled(reads))
        expect(result).toMatchObject({ reason: expect.any(StoreUnavailableError) })
    })

    test('behavior: acknowledged records survive reopening', async () => {
      await home.store.write('append', [
        aListing(),
        anObservation(),
        aReceiver(),
        { kind: 'incident', id: 'f', at: NOON, incident: anIncident() },
        { kind: 'report', id: 'p', at: NOON, report: aReport() },
      ])
      const before = await readEndpointFacts(home.store, ENDPOINT)
      const store = await home.reopen()
      expect(await readEndpointFacts(store, ENDPOINT)).toEqual(before)
      expect(await readObservations(store, ENDPOINT)).toEqual([anObservation()])
      expect(await readReceiverRecords(store, aReceiver().network, aReceiver().address)).toEqual([
        aReceiver(),
      ])
      expect((await readIncidents(store, { since: 0, limit: 1 })).records).toEqual([anIncident()])
      expect(await readReports(store)).toEqual([aReport()])
      await store.write('append', [anObservation({ id: 'o2' })])
      expect((await readObservations(store, ENDPOINT)).map(({ id }) => id)).toEqual(['o1', 'o2'])
    })
  })
}
