import { expect, test } from 'vitest'
import type { Directory, DirectoryPage } from '../directories/directory.ts'
import type { ListedRow } from '../facts/facts.ts'
import { isDeclaredByHost } from '../facts/facts.ts'
import { HOUR } from '../facts/times.ts'
import { systemClock } from '../lib/clock.ts'
import { RANDOM_IDS } from '../lib/ids.ts'
import { readListings } from '../store/facts.ts'
import { countDue } from '../store/leases.ts'
import { aListing, NOON } from '../store/testing/records.ts'
import { type Units, withReads, withUnits } from '../store/testing/withFaults.ts'
import { createDirectoryReader } from './createDirectoryReader.ts'
import { openStore } from './testing/openStore.ts'

async function setUp(units: Units = {}, kind: Pick<Directory, 'isInternal' | 'mayBeEmpty'> = {}) {
  const time = { now: NOON }
  const clock = { ...systemClock, now: () => time.now }
  const store = await openStore(clock.now)
  const pages: ListedRow[][] = []
  const state: { page: Partial<DirectoryPage>; errors: string[] } = { page: {}, errors: [] }
  let recorded = 0
  let reads = 0
  let appended = 0
  const noted: [number, number][] = []
  const reader = createDirectoryReader(
    {
      store: withReads(
        withUnits(store, {
          append(facts) {
            appended += facts.length
            return store.write('append', facts)
          },
          async noteListed(endpoints, at) {
            noted.push([endpoints.length, at])
            await store.write('noteListed', endpoints, at)
          },
          ...units,
        }),
        'listing',
        (rows) => {
          reads++
          return rows
        },
      ),
      clock,
      ids: RANDOM_IDS,
      log: (_, __, { reason }) => state.errors.push(`${reason}`),
    },
    [
      {
        name: 'bazaar',
        ...kind,
        async *pages() {
          for (const rows of pages) yield { rows, skipped: {}, ...state.page }
        },
      },
    ],
    () => recorded++,
  )
  /** Reads the directory six hours later, and returns the number of listings that this appended. */
  const read = async () => {
    const before = appended
    reader.begin(new AbortController().signal)
    await reader.settled()
    time.now += 6 * HOUR
    return appended - before
  }
  return { store, time, pages, state, reader, read, noted, counts: () => ({ recorded, reads }) }
}

function rowOf(path: string, changes: Partial<ListedRow> = {}): ListedRow {
  const endpoint = `https://api.example/${path}`
  const { kind: _kind, id: _id, at: _at, ...row } = aListing({ endpoint, url: endpoint, ...changes })
  return row
}

test('behavior: a directory is read again soon if rows are missing through a fault of ours', async () => {
  const { pages, state, reader, read } = await setUp()
  pages.push([rowOf('a')], [rowOf('b')])
  state.page = { isUnfinished: true }
  await read()
  expect(reader.next()).toBe(NOON + HOUR / 4)
  state.page = {}
  await read()
  expect(reader.next()).toBe(NOON + 12 * HOUR)
})

test('error: a directory that answers without one usable row has failed, and keeps its earlier listings', async () => {
  const { store, pages, state, reader, read } = await setUp()
  pages.push([rowOf('a')])
  await read()
  expect(reader.progress().directories).toEqual({ read: 1, failed: 0, reading: 0 })
  pages[0] = []
  state.page = { skipped: { malformed: 2 } }
  await read()
  expect(reader.progress().directories).toEqual({ read: 0, failed: 1, reading: 0 })
  state.page = {}
  await read()
  pages.pop()
  await read()
  expect(reader.progress().directories).toMatchObject({ failed: 1 })
  const said = 'it lists nothing that can be used'
  expect(state.errors).toEqual([`${said}; skipped: malformed 2`, said, said])
  expect(await countDue(store, NOON)).toBe(1)
})

test("behavior: the operator's own file may be empty, but not unusable", async () => {
  const { pages, state, reader, read } = await setUp({}, { mayBeEmpty: true })
  await read()
  expect(reader.progress().directories).toMatchObject({ read: 1, failed: 0 })
  pages.push([])
  state.page = { skipped: { malformed: 1 } }
  await read()
  expect(reader.progress().directories).toMatchObject({ read: 0, failed: 1 })
})

test('behavior: the documents of hosts are counted as no directory, with rows or without', async () => {
  const { pages, state, reader, read } = await setUp({}, { isInternal: true })
  await read()
  pages.push([rowOf('a')])
  await read()
  expect(reader.progress()).toMatchObject({
    discoveries: 2,
    listed: 1,
    rows: {},
    directories: { read: 0, failed: 0, reading: 0 },
  })
  expect(state.errors).toEqual([])
})

test('behavior: after the clock was set back, a directory is read again at once', async () => {
  const { time, pages, reader, read, counts } = await setUp()
  pages.push([rowOf('a')])
  time.now += 2 * 24 * HOUR
  await read()
  time.now = NOON
  expect(reader.next()).toBe(NOON)
  await read()
  expect(counts().reads).toBe(2)
  expect(reader.next()).toBe(NOON + 6 * HOUR)
})

test('default: records listings that are new or changed, and reads the known ones of a page at once', async () => {
  const { store, pages, read, noted, counts } = await setUp()
  pages.push([rowOf('a'), rowOf('b')], [rowOf('c')])
  expect(await read()).toBe(3)
  expect(await countDue(store, NOON)).toBe(3)
  expect(counts()).toEqual({ recorded: 2, reads: 2 })
  expect(await read()).toBe(0)
  expect(counts()).toEqual({ recorded: 2, reads: 4 })
  pages[0] = [rowOf('a', { title: 'Forecast' }), rowOf('b')]
  expect(await read()).toBe(1)
  expect(counts()).toEqual({ recorded: 3, reads: 6 })
  // Unchanged endpoints are noted as listed too.
  const times = [NOON, NOON + 6 * HOUR, NOON + 12 * HOUR]
  expect(noted).toEqual(
    times.flatMap((at) => [
      [2, at],
      [1, at],
    ]),
  )
})

test('behavior: compares with the newest listing of the same directory', async () => {
  const { store, pages, read } = await setUp()
  const other = rowOf('a', { directory: 'other', title: 'Another name' })
  await store.write('append', [{ kind: 'listing', id: 'l1', at: NOON, ...other }])
  pages.push([rowOf('a')])
  expect(await read()).toBe(1)
  expect(await read()).toBe(0)
})

test('behavior: records a refresh without changes every six hours at most', async () => {
  const { pages, read } = await setUp()
  for (const [claimedAt, recorded] of [
    [NOON, 1],
    [NOON + HOUR, 0],
    [NOON + 6 * HOUR, 1],
  ] as const) {
    pages[0] = [rowOf('a', { claimedAt })]
    expect(await read()).toBe(recorded)
  }
})

test('behavior: records an endpoint that a page lists twice once, and templates never', async () => {
  const { pages, reader, read } = await setUp()
  const template = 'https://api.example/:id'
  pages.push([rowOf('a'), rowOf('a'), rowOf('x', { endpoint: template, url: template })])
  expect(await read()).toBe(1)
  expect(reader.progress().skipped).toEqual({ template: 1 })
})

test('behavior: of several entries of an endpoint on a page the first counts, and is no news the next time', async () => {
  const { store, pages, read } = await setUp()
  pages.push([rowOf('a', { method: 'GET' }), rowOf('a', { method: 'DELETE' })])
  expect(await read()).toBe(1)
  expect(await read()).toBe(0)
  const [listing] = (await readListings(store, [rowOf('a').endpoint])).get(rowOf('a').endpoint) ?? []
  expect(listing?.method).toBe('GET')
})

test('rule 7: a listing does not replace what the host itself declares', async () => {
  const { store, pages, read } = await setUp()
  const declared = rowOf('a', { directory: 'host', ownClaim: true, method: 'POST', body: '{"q":"tea"}' })
  pages.push([declared])
  await read()
  pages[0] = [rowOf('a', { directory: 'bazaar', ownClaim: false, method: 'DELETE', body: '{"q":""}' })]
  await read()
  const listings = (await readListings(store, [declared.endpoint])).get(declared.endpoint) ?? []
  expect(listings.filter(isDeclaredByHost)).toMatchObject([{ method: 'POST', body: '{"q":"tea"}' }])
  expect(listings).toHaveLength(2)
})

test('behavior: counts listings that the store leaves out, and does not wake the crawl for them', async () => {
  const { pages, reader, read, counts } = await setUp({ append: async (facts) => facts.length })
  pages.push([rowOf('a'), rowOf('b')], [rowOf('c')])
  await read()
  expect(reader.progress()).toMatchObject({ listed: 3, skipped: { over_limit: 3 } })
  expect(counts().recorded).toBe(0)
})

test('behavior: tells how many rows each directory has, once it was read', async () => {
  const { pages, time, reader, read } = await setUp()
  expect(reader.progress().rows).toEqual({})
  pages.push([rowOf('a'), rowOf('b')])
  await read()
  expect(Object.values(reader.progress().rows)).toEqual([2])
  pages.length = 0
  time.now += 6 * HOUR
  await read()
  expect(Object.values(reader.progress().rows)).toEqual([0])
})
