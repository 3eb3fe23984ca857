import { beforeEach, describe, expect, test } from 'vitest'
import { StoreUnavailableError } from '../../../domain/facts/storeError.ts'
import type { Store } from '../../../ports/oldStore.ts'
import { describeClaims } from './claimsContract.ts'
import {
  aChange,
  aListing,
  anAnnouncement,
  anIncident,
  anObservation,
  aPurchase,
  aReceiver,
  aReport,
  documentOf,
  NOON,
  type StoreHome,
} from './records.ts'

/**
 * Tests a store against the contract of all stores; each test gets an empty one.
 * `persistent` adds the tests that close and reopen it. @default true
 */
export function describeStore(
  name: string,
  createHome: () => Promise<StoreHome>,
  { persistent = true } = {},
): void {
  describe(`${name} store`, () => {
    let home: StoreHome
    let store: Store
    beforeEach(async () => {
      home = await createHome()
      store = await home.open()
      return async () => {
        await store.close()
        await home.remove()
      }
    })

    test('default: returns all records of a host, oldest first', async () => {
      const listing = aListing()
      const first = anObservation({ id: 'o1', at: NOON })
      const second = anObservation({ id: 'o2', at: NOON + 1000 })
      const announcement = anAnnouncement()
      const purchase = aPurchase()
      await store.append([second, listing])
      await store.append([first, announcement, purchase])
      await store.append([
        { kind: 'change', id: 'f1', at: NOON, change: aChange() },
        { kind: 'incident', id: 'f2', at: NOON, incident: anIncident() },
        anObservation({ host: 'other.example', endpoint: 'https://other.example/' }),
      ])
      expect(await store.hostFacts('api.example')).toEqual({
        listings: [listing],
        observations: [first, second],
        daily: [],
        announcements: [announcement],
        purchases: [purchase],
        changes: [aChange()],
        incidents: [anIncident()],
      })
    })

    test('default: returns no records of an unknown host', async () => {
      const { listings, observations, incidents } = await store.hostFacts('never.example')
      expect([listings, observations, incidents]).toEqual([[], [], []])
      expect(await store.getHost('never.example')).toBeUndefined()
    })

    test('behavior: returns hostile text of sellers unchanged', async () => {
      const hostile = 'line\nbreak \u2028 "quotes" \\ \u0000 \ud83d\ude00 \ud800 </script> __proto__'
      const listing = aListing({ title: hostile, host: '__proto__' })
      await store.append([listing])
      expect((await store.hostFacts('__proto__')).listings).toEqual([listing])
    })

    test('behavior: a later write does not change returned records', async () => {
      await store.append([anObservation({ id: 'o1' })])
      const before = await store.hostFacts('api.example')
      await store.append([anObservation({ id: 'o2', at: NOON + 1 })])
      expect(before.observations.map((one) => one.id)).toEqual(['o1'])
    })

    test('behavior: finds receivers in any letter case and lists the newest record of each', async () => {
      const old = aReceiver({ id: 'r1', at: NOON, receiptsEver: 1 })
      const young = aReceiver({ id: 'r2', at: NOON + 5, receiptsEver: 2 })
      await store.append([young])
      await store.append([old])
      expect(await store.receiver(old.network, old.address.toUpperCase())).toEqual([old, young])
      expect(await store.receiver(old.network, '0xunknown')).toEqual([])
      expect([...(await store.receivers())]).toEqual([[`${old.network} ${old.address}`.toLowerCase(), young]])
    })

    test('default: feeds are newest first, limited, and count all matches', async () => {
      const at = (minute: number) => NOON + minute * 60_000
      const changes = [0, 1, 2, 3].map((minute) =>
        aChange({ id: `c${minute}`, at: new Date(at(minute)).toISOString() }),
      )
      await store.append(
        changes.map((change) => ({
          kind: 'change',
          id: `f-${change.id}`,
          at: Date.parse(change.at),
          change,
        })),
      )
      const ids = async (query: Parameters<Store['changes']>[0]) => {
        const { records, total } = await store.changes(query)
        return [records.map((one) => one.id), total]
      }
      expect(await ids({ since: at(1), limit: 2 })).toEqual([['c3', 'c2'], 3])
      expect(await ids({ since: at(1) + 1, limit: 9 })).toEqual([['c3', 'c2'], 2])
      expect(await ids({ since: 0, limit: 1, host: 'api.example' })).toEqual([['c3'], 4])
      expect(await ids({ since: 0, limit: 1, endpoint: 'https://api.example/a' })).toEqual([['c3'], 4])
      expect(await ids({ since: 0, limit: 9, host: 'other.example' })).toEqual([[], 0])
      const both = { host: 'other.example', endpoint: 'https://api.example/a' }
      expect(await ids({ since: 0, limit: 9, ...both })).toEqual([[], 0])
    })

    test('behavior: an updated incident keeps its position in the feed', async () => {
      const later = new Date(NOON + 1000).toISOString()
      const resolved = anIncident({ id: 'i1', status: 'resolved', resolvedAt: later })
      await store.append([
        { kind: 'incident', id: 'f1', at: NOON, incident: anIncident({ id: 'i1' }) },
        {
          kind: 'incident',
          id: 'f2',
          at: NOON + 1000,
          incident: anIncident({ id: 'i2', detectedAt: later }),
        },
        { kind: 'incident', id: 'f3', at: NOON + 2000, incident: resolved },
      ])
      const { records, total } = await store.incidents({ since: 0, limit: 10 })
      expect(records.map((one) => [one.id, one.status])).toEqual([
        ['i2', 'open'],
        ['i1', 'resolved'],
      ])
      expect(total).toBe(2)
      expect((await store.hostFacts('api.example')).incidents.map((one) => one.status)).toEqual([
        'resolved',
        'open',
      ])
    })

    test('default: returns the latest report of each day, oldest first', async () => {
      const put = (id: string, at: number, report: Parameters<typeof aReport>[0]) =>
        store.append([{ kind: 'report', id, at, report: aReport(report) }])
      await put('p3', NOON + 86_400_000, { date: '2026-06-02', tracked: 3 })
      await put('p2', NOON + 1, { tracked: 2 })
      await put('p1', NOON, { tracked: 1 })
      const reports = await store.reports()
      expect(reports.map(({ date, tracked }) => [date, tracked])).toEqual([
        ['2026-06-01', 2],
        ['2026-06-02', 3],
      ])
    })

    test('default: a document replaces the previous one', async () => {
      await store.putHost(documentOf('api.example', NOON))
      await store.putHost(documentOf('b.example', NOON))
      await store.putHost(documentOf('api.example', NOON + 1))
      expect(await store.getHost('api.example')).toEqual(documentOf('api.example', NOON + 1))
      const hosts = []
      for await (const document of store.hosts()) hosts.push([document.host, document.updatedAt])
      expect(hosts.sort()).toEqual([
        ['api.example', NOON + 1],
        ['b.example', NOON],
      ])
    })

    test('error: a closed store refuses writes', async () => {
      await store.close()
      await expect(store.append([anObservation()])).rejects.toThrow(StoreUnavailableError)
      await expect(store.putHost(documentOf('api.example', NOON))).rejects.toThrow(StoreUnavailableError)
      await store.close()
    })

    if (!persistent) return
    test('behavior: acknowledged records survive reopening', async () => {
      const facts = [
        aListing(),
        anObservation(),
        aReceiver(),
        { kind: 'incident' as const, id: 'f', at: NOON, incident: anIncident() },
        { kind: 'report' as const, id: 'p', at: NOON, report: aReport() },
      ]
      await store.append(facts)
      await store.putHost(documentOf('api.example', NOON))
      const before = await store.hostFacts('api.example')
      await store.close()
      store = await home.open()
      expect(await store.hostFacts('api.example')).toEqual(before)
      expect(await store.getHost('api.example')).toEqual(documentOf('api.example', NOON))
      expect((await store.receivers()).size).toBe(1)
      expect((await store.incidents({ since: 0, limit: 1 })).records).toEqual([anIncident()])
      expect(await store.reports()).toEqual([aReport()])
    })
  })

  describeClaims(name, createHome, persistent)
}
