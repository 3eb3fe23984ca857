import type { Change, Incident } from '@touchstone402/shared'
import { describe, expect, test } from 'vitest'
import { DAY, MINUTE, toTimestamp } from '../../facts/times.ts'
import { readEndpointFacts } from '../facts.ts'
import type { FeedQuery } from '../feeds.ts'
import { readChanges, readIncident, readIncidents, readOpenIncidents } from '../feeds.ts'
import { aChange, aListing, anIncident, NOON } from './records.ts'
import { type Home, useStore } from './useStore.ts'

const changed = (id: string, at: number, changes: Partial<Change> = {}) => ({
  kind: 'change' as const,
  id: `f-${id}`,
  at,
  change: aChange({ id, at: toTimestamp(at), ...changes }),
})

const happened = (id: string, at: number, changes: Partial<Incident> = {}, writtenAt = at) => ({
  kind: 'incident' as const,
  id: `f-${id}-${writtenAt}`,
  at: writtenAt,
  incident: anIncident({ id, detectedAt: toTimestamp(at), ...changes }),
})

/** Tests the feeds of a store. */
export function describeFeeds(name: string, createHome: () => Promise<Home>): void {
  describe(`${name} feeds`, () => {
    const home = useStore(createHome)
    const changes = async (query: FeedQuery) => {
      const { records, total } = await readChanges(home.store, query)
      return [records.map(({ id }) => id), total]
    }
    const incidents = async (query: FeedQuery) => {
      const { records, total } = await readIncidents(home.store, query)
      return [records.map(({ id, status }) => `${id} ${status}`), total]
    }

    test('default: feeds are newest first, limited, and count all matches', async () => {
      const at = (minute: number) => NOON + minute * MINUTE
      await home.store.write(
        'append',
        [0, 1, 2, 3].map((minute) => changed(`c${minute}`, at(minute))),
      )
      expect(await changes({ since: at(1), limit: 2 })).toEqual([['c3', 'c2'], 3])
      expect(await changes({ since: at(1) + 1, limit: 9 })).toEqual([['c3', 'c2'], 2])
      expect(await changes({ since: at(4), limit: 9 })).toEqual([[], 0])
      expect(await changes({ since: 0, limit: 1, host: 'api.example' })).toEqual([['c3'], 4])
      expect(await changes({ since: 0, limit: 1, endpoint: 'https://api.example/a' })).toEqual([['c3'], 4])
      expect(await changes({ since: 0, limit: 9, host: 'other.example' })).toEqual([[], 0])
      const both = { host: 'other.example', endpoint: 'https://api.example/a' }
      expect(await changes({ since: 0, limit: 9, ...both })).toEqual([[], 0])
      expect(await changes({ since: 0, limit: 0 })).toEqual([[], 4])
    })

    test('behavior: pages behind a record lose and repeat nothing, also among equal times and new records', async () => {
      const times = [0, 1, 1, 1, 2, 3]
      const at = (index: number) => NOON + (times[index] ?? 0)
      await home.store.write(
        'append',
        times.map((_, index) => changed(`c${index}`, at(index))),
      )
      const read: string[] = []
      for (let after: FeedQuery['after']; ; ) {
        const { records, total } = await readChanges(home.store, {
          since: 0,
          limit: 2,
          ...(after && { after }),
        })
        const last = records.at(-1)
        if (last === undefined) break
        expect(total).toBe(times.length + read.length / 2)
        read.push(...records.map(({ id }) => id))
        after = { at: Date.parse(last.at), id: last.id }
        await home.store.write('append', [changed(`new${read.length}`, NOON + 10)])
      }
      expect(read).toEqual(['c5', 'c4', 'c3', 'c2', 'c1', 'c0'])
    })

    test('behavior: continues behind the place of a record that is not there, within the range and the host', async () => {
      await home.store.write(
        'append',
        [0, 1, 2, 3].map((index) => changed(`c${index}`, NOON + index)),
      )
      const after = { at: NOON + 2, id: 'a' }
      expect(await changes({ since: 0, limit: 9, after })).toEqual([['c1', 'c0'], 4])
      expect(await changes({ since: NOON + 1, limit: 9, after })).toEqual([['c1'], 3])
      expect(await changes({ since: 0, limit: 9, after, host: 'api.example' })).toEqual([['c1', 'c0'], 4])
      const endpoint = 'https://api.example/a'
      expect(await changes({ since: 0, limit: 1, after: { at: NOON + 3, id: 'c3' }, endpoint })).toEqual([
        ['c2'],
        4,
      ])
      for (const end of [
        { at: NOON, id: 'c0' },
        { at: -1, id: 'gone' },
      ])
        expect(await changes({ since: 0, limit: 9, after: end })).toEqual([[], 4])
      const beyond = { at: Number.MAX_SAFE_INTEGER, id: 'i\0' }
      expect(await changes({ since: 0, limit: 1, after: beyond })).toEqual([['c3'], 4])
    })

    test('default: returns the latest state of an incident by its id', async () => {
      const resolved = { status: 'resolved' as const, resolvedAt: toTimestamp(NOON + DAY) }
      await home.store.write('append', [happened('i1', NOON), happened('i2', NOON)])
      await home.store.write('append', [happened('i1', NOON, resolved, NOON + DAY)])
      expect(await readIncident(home.store, 'i1')).toMatchObject({ id: 'i1', ...resolved })
      expect(await readIncident(home.store, 'i2')).toMatchObject({ id: 'i2', status: 'open' })
      for (const id of ['i3', '', 'i\0', '__proto__', 'i'.repeat(5000)])
        expect(await readIncident(home.store, id)).toBeUndefined()
    })

    test('behavior: counts over days, of which the first counts in part', async () => {
      const times = [-3 * DAY, -2 * DAY - 1, -2 * DAY, -DAY, 0, 1].map((offset) => NOON + offset)
      await home.store.write(
        'append',
        times.map((time, index) => changed(`c${index}`, time)),
      )
      const totals = await Promise.all(
        times.map(async (since) => (await readChanges(home.store, { since, limit: 1 })).total),
      )
      expect(totals).toEqual([6, 5, 4, 3, 2, 1])
    })

    test('behavior: of equal times the one written last comes first', async () => {
      await home.store.write('append', [changed('c1', NOON), changed('c2', NOON)])
      await home.store.write('append', [changed('c3', NOON)])
      expect(await changes({ since: 0, limit: 2 })).toEqual([['c3', 'c2'], 3])
    })

    test('behavior: an updated incident keeps its position in the feed', async () => {
      const resolved = { status: 'resolved' as const, resolvedAt: toTimestamp(NOON + 1000) }
      await home.store.write('append', [
        happened('i1', NOON),
        happened('i2', NOON),
        happened('i3', NOON + 1000),
      ])
      await home.store.write('append', [happened('i1', NOON, resolved, NOON + 2000)])
      const all = ['i3 open', 'i2 open', 'i1 resolved']
      expect(await incidents({ since: 0, limit: 10 })).toEqual([all, 3])
      const { incidents: own } = await readEndpointFacts(home.store, 'https://api.example/a')
      expect(own.map(({ id, status }) => `${id} ${status}`)).toEqual(all.toReversed())
    })

    test('default: selects open incidents, and counts one that opens again', async () => {
      const other = { host: 'other.example', endpoint: 'https://other.example/' }
      await home.store.write('append', [
        happened('i1', NOON),
        happened('i2', NOON + 1, other),
        happened('i3', NOON + 2),
      ])
      await home.store.write('append', [happened('i3', NOON + 2, { status: 'resolved' }, NOON + 3)])
      expect(await incidents({ since: 0, limit: 9, open: true })).toEqual([['i2 open', 'i1 open'], 2])
      expect(await incidents({ since: NOON + 1, limit: 9, open: true })).toEqual([['i2 open'], 1])
      expect(await incidents({ since: 0, limit: 9, open: true, host: 'api.example' })).toEqual([
        ['i1 open'],
        1,
      ])
      expect(await incidents({ since: 0, limit: 9, open: false })).toEqual([
        ['i3 resolved', 'i2 open', 'i1 open'],
        3,
      ])
      await home.store.write('append', [happened('i3', NOON + 2, { status: 'open' }, NOON + 4)])
      expect(await incidents({ since: 0, limit: 1, open: true })).toEqual([['i3 open'], 3])
    })

    test('default: lists the open critical incidents of endpoints that are kept', async () => {
      const gone = { host: 'gone.example', endpoint: 'https://gone.example/' }
      await home.store.write('append', [
        aListing(),
        happened('i2', NOON + 1, { severity: 'critical' }),
        happened('i1', NOON, { severity: 'critical' }),
        happened('i3', NOON, { severity: 'warn' }),
        happened('i4', NOON, { severity: 'critical', ...gone }),
        happened('i5', NOON, { severity: 'critical', status: 'resolved' }),
      ])
      expect((await readOpenIncidents(home.store)).map(({ id }) => id)).toEqual(['i1', 'i2'])
    })

    test('behavior: a record that is written twice counts once', async () => {
      await home.store.write('append', [changed('c1', NOON), changed('c1', NOON, { after: '0x33' })])
      await home.store.write('append', [changed('c1', NOON, { after: '0x44' })])
      const { records, total } = await readChanges(home.store, { since: 0, limit: 9 })
      expect([records.map(({ after }) => after), total]).toEqual([['0x44'], 1])
      expect((await readEndpointFacts(home.store, 'https://api.example/a')).changes).toEqual(records)
    })
  })
}
