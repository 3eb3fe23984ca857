import { expect, test } from 'vitest'
import { StoreOpenError, StoreUnavailableError } from '../../../domain/facts/storeError.ts'
import { DAY, HOUR } from '../../../domain/facts/times.ts'
import type { Changed } from '../../../ports/store.ts'
import { aDocument } from '../testing/documents.ts'
import { aListing, anObservation, aWantedClaim, NOON } from '../testing/records.ts'
import { usePostgresStores } from '../testing/usePostgresStores.ts'
import { listOf } from '../testing/useStore.ts'
import type { PostgresStore } from './openPostgresStore.ts'

const database = usePostgresStores()
const { open, sql } = database

/** Cuts connections to the database. */
const cut = (which: string) =>
  sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND ${which}`,
  )

async function openTwo(): Promise<[PostgresStore, PostgresStore]> {
  return [await open(), await open()]
}

test('behavior: one of several starting processes migrates; later starts have nothing to do', async () => {
  const stores = await Promise.all([open(), open(), open(), open()])
  expect(stores.flatMap((store) => store.migrated)).toEqual([
    '0001-published-claims',
    '0002-mcp-audits',
    '0003-claims-confirmed-on-chain',
    '0004-looks-by-day',
    '0005-log',
    '0006-map-files',
    '0007-expiring',
  ])
  expect((await open()).migrated).toEqual([])
})

test('error: refuses a database that a newer version migrated, an unreachable one and invalid settings', async () => {
  await open()
  await sql(`INSERT INTO migration (name) VALUES ('9999-from-the-future')`)
  await expect(open()).rejects.toThrow(StoreOpenError)
  await expect(open()).rejects.toThrow('9999-from-the-future')
  const absent = open({ url: 'postgres://touchstone@127.0.0.1:1/postgres' })
  await expect(absent).rejects.toThrow(StoreUnavailableError)
  await expect(open({ url: 'mysql://localhost' })).rejects.toThrow(StoreOpenError)
  await expect(open({ schema: 'x; DROP SCHEMA y' })).rejects.toThrow(StoreOpenError)
})

test('behavior: exactly one of several concurrent claims wins across processes', async () => {
  const stores = await openTwo()
  for (let round = 0; round < 5; round++) {
    const wanted = aWantedClaim({ nonce: `${round}` })
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, index) => stores[index % 2]?.claims.claim(wanted)),
    )
    expect(outcomes.filter((outcome) => outcome?.won)).toHaveLength(1)
  }
})

test('behavior: two processes that take due keys at once share them', async () => {
  const stores = await openTwo()
  const endpoints = Array.from({ length: 400 }, (_, index) => `https://h${index}.example/a`)
  await stores[0].append(endpoints.map((endpoint) => aListing({ endpoint, host: new URL(endpoint).host })))
  const taken = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      stores[index % 2 === 0 ? 0 : 1].claimDue('looks', NOON, NOON + HOUR, 10),
    ),
  )
  const all = taken.flat()
  expect(new Set(all).size).toBe(all.length)
  const rest = await stores[0].claimDue('looks', NOON, NOON + HOUR, 400)
  expect([...all, ...rest].sort()).toEqual(endpoints.sort())
})

test('behavior: processes that judge endpoints of the same hosts at once lose nothing', async () => {
  const stores = await openTwo()
  const endpoints = Array.from({ length: 60 }, (_, index) => `https://h${index % 3}.example/${index}`)
  await Promise.all(
    endpoints.map((endpoint, index) => stores[index % 2 === 0 ? 0 : 1].putEndpoint(aDocument({ endpoint }))),
  )
  expect(await stores[0].count('status/live')).toBe(60)
  expect(await stores[1].count('hosts/all')).toBe(3)
  for (const host of ['h0.example', 'h1.example', 'h2.example'])
    expect((await stores[1].summary(host))?.endpoints).toHaveLength(20)
})

test('behavior: processes that bring expired verdicts up to date at once count each host once', async () => {
  const stores = await openTwo()
  for (let index = 0; index < 120; index++)
    await stores[0].putEndpoint(aDocument({ endpoint: `https://h${index}.example/a` }))
  const later = NOON + 3 * DAY
  await Promise.all(stores.flatMap((store) => [store.counts('', later), store.counts('', later)]))
  expect(await stores[0].counts('hosts/', later)).toEqual(
    new Map([
      ['hosts/all', 120],
      ['hosts/verdict/unknown', 120],
    ]),
  )
  expect(await listOf(stores[1].ranked('working', later))).toEqual([])
  expect(await listOf(stores[1].ranked('names', later))).toHaveLength(120)
})

test('behavior: tells a process of documents that others write, also after a lost connection', async () => {
  const [writer, reader] = await openTwo()
  const heard: (Changed | null)[] = []
  const stop = await reader.watch((changed) => heard.push(changed))
  await writer.putEndpoint(aDocument())
  const first = { host: 'api.example', endpoint: 'https://api.example/a' }
  await expect.poll(() => heard, { interval: 5 }).toEqual([first])
  await cut(`query LIKE 'LISTEN%'`)
  await expect.poll(() => heard, { timeout: 5000 }).toEqual([first, null])
  const endpoint = `https://api.example/${'x'.repeat(8_000)}`
  await sql(`SELECT pg_notify('${database.schema}', '')`)
  await expect.poll(() => heard).toEqual([first, null, null])
  await expect(writer.putEndpoint(aDocument({ endpoint }))).resolves.toBeUndefined()
  await expect.poll(() => heard).toEqual([first, null, null, null])
  await stop()
  await writer.putEndpoint(aDocument())
  expect(heard).toHaveLength(4)
})

test('behavior: a write that fails leaves nothing behind', async () => {
  const store = await open()
  await sql('ALTER TABLE total ADD CHECK (n < 2)')
  await store.putEndpoint(aDocument())
  const second = aDocument({ endpoint: 'https://b.example/a' })
  const facts = [anObservation({ endpoint: second.state.endpoint, host: 'b.example' }), aListing({ id: 'x' })]
  await expect(store.putEndpoint(second, { facts, days: [] })).rejects.toThrow()
  expect(await store.endpoint(second.state.endpoint)).toBeUndefined()
  expect(await store.summary('b.example')).toBeUndefined()
  expect(await listOf(store.looks(second.state.endpoint))).toEqual([])
  expect((await store.endpointFacts('https://api.example/a')).listings).toEqual([])
  expect(await store.count('hosts/all')).toBe(1)
})

test('error: reports a lost connection, and a later call works', async () => {
  const store = await open({ connections: 2 })
  const written = store.append([anObservation()]).catch((error) => {
    expect(error).toBeInstanceOf(StoreUnavailableError)
  })
  await cut(`application_name = 'touchstone'`)
  await written
  // The pool notices the loss a moment later.
  await expect
    .poll(() => store.append([anObservation({ id: 'after' })]).then(() => 'written', String))
    .toBe('written')
})

test('behavior: hostile text in keys comes back unchanged', async () => {
  const store = await open()
  const keys = ['nul\u0000', 'nul\\0000', '\ud800', '\udc00', '\ufffd', '\\', '\\d800', '%', '_', "'; DROP"]
  for (const key of keys) {
    await store.append([aListing({ host: key, endpoint: key, title: key })])
    await store.append([anObservation({ id: key, endpoint: key, host: key, client: key })])
    await store.putEndpoint(aDocument({ endpoint: `https://api.example/${key}`, host: key }))
  }
  for (const key of keys) {
    expect(await store.listings([key])).toEqual(
      new Map([[key, [aListing({ host: key, endpoint: key, title: key })]]]),
    )
    const look = anObservation({ id: key, endpoint: key, host: key, client: key })
    expect(await listOf(store.looks(key))).toEqual([look])
    expect(await store.cited(key, [key])).toEqual([look])
    const document = aDocument({ endpoint: `https://api.example/${key}`, host: key })
    expect(await store.endpoint(document.state.endpoint)).toEqual(document)
    expect((await store.host(key))?.endpoints).toEqual([document.state])
    expect((await store.searchHosts(key, 99)).hosts).toContain(key)
  }
  expect((await listOf(store.ranked('names', NOON))).sort()).toEqual([...keys].sort())
  expect((await store.claimDue('looks', NOON, NOON, 99)).toSorted()).toEqual([...keys].sort())
})
