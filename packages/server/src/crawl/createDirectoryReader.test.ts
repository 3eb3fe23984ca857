import { expect, test } from 'vitest'
import { createMemoryStore } from '../adapters/store/memory/createMemoryStore.ts'
import { aListing, NOON } from '../adapters/store/testing/records.ts'
import { HOUR } from '../domain/facts/times.ts'
import type { ListedRow } from '../ports/directory.ts'
import { createDirectoryReader } from './createDirectoryReader.ts'

function setUp() {
  const time = { now: NOON }
  const clock = { now: () => time.now, hold: () => () => {} }
  const store = createMemoryStore(clock)
  const pages: ListedRow[][] = []
  let recorded = 0
  let reads = 0
  const reader = createDirectoryReader(
    {
      store: {
        append: store.append,
        listings(endpoints) {
          reads++
          return store.listings(endpoints)
        },
      },
      clock,
      newId: (prefix) => `${prefix}_${Math.random()}`,
      directories: [
        {
          name: 'bazaar',
          async *pages() {
            for (const rows of pages) yield { rows, skipped: {} }
          },
        },
      ],
    },
    () => recorded++,
  )
  /** Reads the directory six hours later, and returns the number of listings of an endpoint. */
  const read = async (endpoint: string) => {
    reader.begin(new AbortController().signal)
    await reader.settled()
    time.now += 6 * HOUR
    return (await store.listings([endpoint])).get(endpoint)?.length ?? 0
  }
  return { store, pages, reader, read, counts: () => ({ recorded, reads }) }
}

function rowOf(path: string, changes: Partial<ListedRow> = {}): ListedRow {
  const endpoint = `https://api.example/${path}`
  const { kind: _kind, id: _id, at: _at, ...row } = aListing({ endpoint, url: endpoint, ...changes })
  return row
}
const A = 'https://api.example/a'

test('default: records listings that are new or changed, and reads the known ones of a page at once', async () => {
  const { store, pages, read, counts } = setUp()
  pages.push([rowOf('a'), rowOf('b')], [rowOf('c')])
  expect(await read(A)).toBe(1)
  expect(await store.countDue('looks', NOON)).toBe(3)
  expect(counts()).toEqual({ recorded: 2, reads: 2 })
  expect(await read(A)).toBe(1)
  expect(counts()).toEqual({ recorded: 2, reads: 4 })
  pages[0] = [rowOf('a', { title: 'Forecast' }), rowOf('b')]
  expect(await read(A)).toBe(2)
  expect(counts()).toEqual({ recorded: 3, reads: 6 })
})

test('behavior: records a refresh without changes every six hours at most', async () => {
  const { pages, read } = setUp()
  for (const [claimedAt, recorded] of [
    [NOON, 1],
    [NOON + HOUR, 1],
    [NOON + 6 * HOUR, 2],
  ] as const) {
    pages[0] = [rowOf('a', { claimedAt })]
    expect(await read(A)).toBe(recorded)
  }
})

test('behavior: records an endpoint that a page lists twice once, and templates never', async () => {
  const { pages, reader, read } = setUp()
  const template = 'https://api.example/:id'
  pages.push([rowOf('a'), rowOf('a'), rowOf('x', { endpoint: template, url: template })])
  expect(await read(A)).toBe(1)
  expect(await read(template)).toBe(0)
  expect(reader.progress().skipped).toEqual({ template: 1 })
})
